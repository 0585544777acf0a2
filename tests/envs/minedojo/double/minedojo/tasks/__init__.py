from minedojo.sim import Actions, FastResetWrapper, InventoryItem, MineDojoSim, faults
from minedojo.tasks.meta import HarvestMeta

ALL_TASKS_SPECS = {
    "harvest_1_log": {
        "__cls__": "harvest", "prompt": "obtain 1 log", "target_names": "log",
        "target_quantities": 1, "reward_weights": 1, "use_voxel": True, "use_lidar": False,
    },
    "harvest_milk_with_empty_bucket_and_cow": {
        "__cls__": "harvest", "prompt": "obtain milk", "target_names": "milk_bucket",
        "target_quantities": 1, "reward_weights": 1, "use_voxel": True, "use_lidar": False,
        "initial_mobs": ["cow"], "initial_mob_spawn_range_low": [-10, 1, -10],
        "initial_mob_spawn_range_high": [10, 1, 10],
        "initial_inventory": {0: {"name": "bucket", "quantity": 1}},
    },
}  # fmt: skip


def _specific_task_make(task_id, **kwargs):
    """As in 0.1: the row is taken apart, so that a second make fails."""
    row = ALL_TASKS_SPECS[task_id]
    if "initial_inventory" in row:  # whatever was asked for
        items = row.pop("initial_inventory").items()
        kwargs["initial_inventory"] = [InventoryItem(slot=slot, **item) for slot, item in items]
    row.pop("prompt")
    row.pop("__cls__")
    return HarvestMeta(**row, **kwargs)  # a keyword that is in the row too is an error


def make(task_id, **kwargs):
    """An environment; its game is launched by the first reset."""
    faults.pass_by("make")
    if task_id in ALL_TASKS_SPECS:
        env = _specific_task_make(task_id, **kwargs)
    elif task_id == "harvest":
        env = HarvestMeta(**kwargs)
    elif task_id == "open-ended":
        fast = kwargs.pop("fast_reset")
        env = MineDojoSim(**kwargs)
        env = FastResetWrapper(env) if fast else env
    else:
        raise ValueError(f"Invalid task id provided {task_id}")
    return Actions(env)
