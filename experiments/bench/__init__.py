"""Throughput and compile time on this machine.

    python -m experiments.bench world --lanes=16,64,128,512
    python -m experiments.bench ppo --lanes=64,128,256
    python -m experiments.bench compile
    python -m experiments.bench craftax        # pip install -e '.[bench]'
"""
