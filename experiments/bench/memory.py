"""What a lane takes of a device's memory in training, and how many lanes a gigabyte holds.

Counted from the shapes of the arrays (`rlgpt_jax/rl/lane_memory.py`), beside what the process
was seen to take at most.
"""

import math
import resource

import jax

from experiments.bench.ppo import one_macro
from experiments.bench.setting import Setting
from experiments.bench.table import Row
from rlgpt_jax.rl import lane_memory

GB = 1e9


def measure(setting: Setting, lanes: int) -> list[Row]:
    """One row: bytes of what is there once, kilobytes of each part of a lane, lanes per GB."""
    found = lane_memory.measure(
        setting.world(lanes), one_macro(), setting.rl(lanes), setting.driver == "device"
    )
    assert found is not None, "the embedded world's sizes are known"
    numbers = {
        "lanes": float(lanes), "lanes_per_gb": GB / found.lane,
        **{f"MB once: {name}": size / 1e6 for name, size in found.fixed.items()},
        **{f"kB per lane: {name}": size / 1e3 for name, size in found.per_lane.items()},
        "GB for these lanes": found.total(lanes) / GB, "GB seen at most": peak() / GB,
    }  # fmt: skip
    return [Row("memory", f"{setting.name}, {setting.driver} driver", numbers)]


def peak() -> float:
    """Bytes that this process took at most: of the GPU, or of the host without one.

    What ran before in the same process counts; NaN if the device does not tell.
    """
    if jax.default_backend() == "cpu":
        return 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float((jax.local_devices()[0].memory_stats() or {}).get("peak_bytes_in_use", math.nan))
