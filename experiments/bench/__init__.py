"""Speed, compile time and memory on this machine, beside other environments.

python -m experiments.bench all --out=DIR            # tables, plots, versions, machine
python -m experiments.bench breakdown                # where the time of training goes
python -m experiments.bench frames --sizes=64x64,160x256
python -m experiments.bench peers                    # pip install -e '.[bench]'
python -m experiments.bench compile                  # cold and warm, in new processes
python -m experiments.bench world --lanes=16,64,256 --beside=OTHER/bench.json
experiments/bench/gpu.sh                              # every figure of a GPU, one command
"""
