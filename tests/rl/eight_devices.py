"""Training on eight devices of a CPU beside one, in a process of its own; prints JSON.

    XLA_FLAGS=... python -m tests.rl.eight_devices corridor|voxel

JAX counts its devices when it starts, so the tests of `devices_test.py` run this.
"""

import dataclasses
import json
import re
import sys

import jax
import jax.monitoring
import numpy as np
from jax.sharding import NamedSharding

from rlgpt_jax.envs.tasks.tasks import get_task
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.rl import devices
from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.policy import Policy, arrays_of
from rlgpt_jax.rl.ppo import update_device
from rlgpt_jax.rl.ppo.optimizer import TrainState
from rlgpt_jax.rl.rollout import rollout_device
from rlgpt_jax.rl.train import init_learner, train
from tests.corridor import Corridor
from tests.envs.voxel import worlds as flat
from tests.rl import small
from tests.rl.macros_test import BACK, WALK, make_space

DEVICES = 8
FLAGS = " ".join((
    f"--xla_force_host_platform_device_count={DEVICES}",
    # Compiled for correctness, in a third of the time.
    "--xla_backend_optimization_level=0", "--xla_cpu_use_fusion_emitters=false",
    # On a busy machine some devices wait long for the others.
    "--xla_cpu_collective_call_warn_stuck_timeout_seconds=600",
    "--xla_cpu_collective_call_terminate_timeout_seconds=1800",
))  # fmt: skip
LANES = 16
COLLECTIVES = (
    "all-reduce", "all-gather", "all-to-all", "collective-permute", "reduce-scatter",
    "collective-broadcast",
)  # fmt: skip
# What waits for the host, or has the host wait.
HOST = ("send", "recv", "infeed", "outfeed", "custom-call")
PPO = dataclasses.replace(small.CONFIG.ppo, num_envs=LANES, unroll_length=8, target_kl=1.0)
CONFIG = dataclasses.replace(small.CONFIG, driver="device", ppo=PPO)
SPACE = empty_space()


def make(world: str):
    if world == "corridor":
        return Corridor(num_envs=LANES, length=4, horizon=12)
    return VoxelEnv(get_task("harvest_milk"), flat.PARAMS, LANES, flat.pool())


def settings(num_devices: int):
    return dataclasses.replace(
        CONFIG, devices=num_devices, ppo=dataclasses.replace(PPO, groups=DEVICES)
    )


def trained(env, num_devices: int, updates: int, compiled: list[str], space=SPACE):
    """The learner after some updates, and what each of them measured and compiled."""
    config, seen = settings(num_devices), []

    def note(_, metrics) -> None:
        kept = {k: v for k, v in metrics.items() if "time" not in k and k != "steps_per_second"}
        seen.append({**kept, "compiled": len(compiled)})

    learner = init_learner(env, space, config, 0)
    before = learner
    learner = train(env, space, config, learner, updates * LANES * PPO.unroll_length, note)
    taken = all(x.is_deleted() for x in jax.tree.leaves(before.rollout.env_state))
    kept = not any(x.is_deleted() for x in jax.tree.leaves((before.params, before.rollout.lanes)))
    return learner, seen, taken and kept


def programs(env, learner):
    """The compiled rollout and update of eight devices, and the batch between them."""
    config = settings(DEVICES)
    mesh = devices.mesh_of(config, True)
    worlds = rollout_device.on_devices(env, mesh)
    state = TrainState(learner.params, learner.opt_state)
    state = devices.placed(state, NamedSharding(mesh, devices.WHOLE))
    actor = arrays_of(Policy(state.params, SPACE, config), env.goal_names, on_device=True)
    args = worlds.params, actor, learner.rollout, jax.random.key(0)
    lowered = rollout_device._rollout.lower(env, PPO.unroll_length, mesh, *args)
    rollout = lowered.compile()
    yield rollout, learner.rollout.env_state
    _, batch = rollout(*args)
    masks = SPACE.arrays().masks
    yield update_device.update.lower(
        config.ppo, config.network, DEVICES, mesh, state, batch, masks, jax.random.key(1)
    ).compile(), state  # fmt: skip


def described(program, given) -> dict:
    """What passes between devices, what meets the host, and what is written in place."""
    text, memory = program.as_text(), program.memory_analysis()
    operations = re.findall(r"= (\S+) ([a-z-]+?)(?:-start)?\(", text)
    return {
        "collectives": [[name, kind] for kind, name in operations if name in COLLECTIVES],
        "host": [name for _, name in operations if name in HOST],
        "in_place": memory.alias_size_in_bytes,
        "given": sum(x.addressable_data(0).nbytes for x in jax.tree.leaves(given)),
    }


def difference(a, b) -> float:
    """The largest absolute one between two trees; infinite if their NaN differ."""
    found = [0.0]
    for x, y in zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True):
        x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
        same = (x == y) | (np.isnan(x) & np.isnan(y))
        gap = np.abs(np.where(same, 0.0, x) - np.where(same, 0.0, y))
        found.append(float(np.max(np.nan_to_num(gap, nan=np.inf), initial=0.0)))
    return max(found)


def main(world: str) -> None:
    compiled: list[str] = []

    @jax.monitoring.register_event_duration_secs_listener
    def _note(event: str, seconds: float, **about) -> None:
        if event == "/jax/core/compile/jaxpr_to_mlir_module_duration":
            compiled.append(str(about.get("fun_name")))

    env, updates = make(world), 4
    many, seen, taken_over = trained(env, DEVICES, updates, compiled)
    one, seen_of_one, _ = trained(env, 1, updates, compiled)
    spread = many.rollout.obs.position.sharding
    out = {
        "devices": len(spread.device_set),
        "taken_over": taken_over,
        "compiled": [row.pop("compiled") for row in seen],
        "params": difference(many.params, one.params),
        "moments": difference(many.opt_state, one.opt_state),
        "lanes": difference(many.rollout[:3], one.rollout[:3]),
        "metrics": difference(seen, [{k: row[k] for k in seen[0]} for row in seen_of_one]),
        "episodes": sum(row["episodes"] for row in seen),
        "programs": [described(*pair) for pair in programs(env, many)],
        "parameters": sum(x.size for x in jax.tree.leaves(many.params)),
    }
    if world == "corridor":
        space = make_space(WALK, BACK)
        many, one = (trained(env, n, updates, compiled, space)[0] for n in (DEVICES, 1))
        out["with macros"] = difference(many.rollout[:3], one.rollout[:3])
        out["macros run"] = int((np.asarray(many.rollout.macros.slot) > 0).sum())
    sys.stdout.write(json.dumps(out) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
