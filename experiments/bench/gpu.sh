#!/usr/bin/env bash
# Every figure of a GPU, in one command; prints the table and draws CPU and GPU side by side.
#
#   experiments/bench/gpu.sh [FOLDER]
#
# Needs: pip install -e '.[gpu,bench]' (or a JAX that sees the GPU). Settings:
#   PYTHON       interpreter (python)
#   LANES        swept lanes of the world and of PPO (2048,8192)
#   AT           lanes of what is not swept (8192)
#   DRAWN        lanes of the renderer alone (2048)
#   LEVEL        share of successes that counts as learnt from pixels (0.6)
#   SKIP_CPU     not empty: no CPU column
#
# Aims on one H200: symbolic world 5,000,000 steps/s, 64x64 RGB world 1,000,000, PPO from rays
# 1,000,000 and from pixels 300,000, harvest_milk learnt from pixels in under 60 s.
set -uo pipefail
cd "$(dirname "$0")/../.."

python=${PYTHON:-python}
out=${1:-bench_gpu}
lanes=${LANES:-2048,8192}
at=${AT:-8192}
drawn=${DRAWN:-2048}
failed=()

"$python" - <<'CHECK' || exit 2
import sys
import jax
if jax.default_backend() != "gpu":
    sys.exit(f"error: JAX runs on {jax.default_backend()}, not on a GPU: {jax.devices()}. "
             "Try: pip install -e '.[gpu]', and nvidia-smi to see whether there is one.")
print("Device:", jax.devices()[0].device_kind)
CHECK

# A name, and what `experiments.bench` is asked.
parts=(
  "world world --lanes=$lanes --seconds=5"                              # symbolic world
  "rays ppo --config=harvest_milk --lanes=$lanes --seconds=10"          # PPO from rays
  "frames frames --at=$drawn --sizes=64x64,160x256 --seconds=5"         # 64x64 RGB world
  "pixels ppo --config=harvest_milk_pixels --lanes=$lanes --seconds=10" # PPO from pixels
  "breakdown breakdown --config=harvest_milk,harvest_milk_pixels --at=$at --seconds=10"
  "agree agree --at=256"                                                # the CPU's world?
  "peers peers --at=$at --seconds=5"
  "memory memory --config=harvest_milk,harvest_milk_pixels --at=$at"
)
mkdir -p "$out"

# One process per part: what fails, or fills the memory, takes no other part with it.
bench() {
  local name=$1
  shift
  echo "== $name"
  "$python" -m experiments.bench "$@" --out="$out/$name" || failed+=("$name")
}

# Programs take a minute each to compile, on few cores each: four at once, since worlds of all would
# not fit, and kept.
echo "== compiling (logs: $out/*.log)"
for part in "${parts[@]}"; do
  while (($(jobs -rp | wc -l) >= 4)); do wait -n; done
  read -ra words <<<"$part"
  XLA_PYTHON_CLIENT_PREALLOCATE=false "$python" -m experiments.bench "${words[@]:1}" --seconds=0.1 \
    --out="$out/compiling" >"$out/${words[0]}.log" 2>&1 &
done
wait
rm -rf "$out/compiling"
for part in "${parts[@]}"; do
  read -ra words <<<"$part"
  bench "${words[@]}"
done
bench learn learn --config=harvest_milk_pixels --at=1024 --level="${LEVEL:-0.6}" --ticks=20000000
if [[ -z ${SKIP_CPU:-} ]]; then
  export JAX_PLATFORMS=cpu
  bench cpu world frames ppo --lanes=64,256 --at=256 --sizes=64x64 --seconds=5
  unset JAX_PLATFORMS
fi

results=()
for file in "$out"/*/bench.json; do results+=("--beside=$file"); done
"$python" -m experiments.bench show "${results[@]}" --out="$out"
if ((${#failed[@]})); then
  echo "Failed, see above: ${failed[*]}"
  exit 1
fi
