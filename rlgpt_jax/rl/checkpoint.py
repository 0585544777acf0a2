"""Saves and restores everything that changes in training, bit for bit.

A learner and, if it keeps its own state, the world are stored as flat lists of arrays
with Orbax, which writes to a temporary folder and renames it. The structure comes from a
fresh learner of the same configuration, so nothing but numbers is read from disk.
`sha256.json` in the folder has the hash of every file: what was damaged is never restored.
"""

import contextlib
import errno
import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as ocp

from rlgpt_jax.rl.actions import HybridSpace
from rlgpt_jax.rl.config import NetworkConfig, RLConfig
from rlgpt_jax.rl.learner import Learner
from rlgpt_jax.rl.networks.actor_critic import Params, init_params
from rlgpt_jax.rl.rollout import on_host
from rlgpt_jax.rl.rollout.on_host import World
from rlgpt_jax.rl.train import at_start, init_learner, without_episodes

VERSION = 6
HASHES = "sha256.json"
MORE_BYTES = 2**20  # about, of what Orbax writes beside the arrays


class CheckpointDamaged(ValueError):
    """A checkpoint that is not as it was written."""


def _to_numpy(x: Any) -> np.ndarray:
    return np.asarray(jax.random.key_data(x) if on_host.is_key(x) else x)


def _like(array: np.ndarray, template: Any) -> Any:
    """The stored array as the kind of leaf that `template` is."""
    if on_host.is_key(template):
        return jax.random.wrap_key_data(jnp.asarray(array))
    if isinstance(template, jax.Array):
        spread = len(template.sharding.device_set) > 1  # the whole may not fit on one device
        return jax.device_put(array, template.sharding) if spread else jnp.asarray(array)
    if isinstance(template, bool | int | float):
        return type(template)(array.item())
    return array


def _flat(tree: Any, group: str) -> tuple[dict[str, np.ndarray], dict[str, list]]:
    """Arrays by name, and shape and dtype of each; Orbax does not take empty arrays."""
    arrays = {f"{group}{i:04d}": _to_numpy(x) for i, x in enumerate(jax.tree.leaves(tree))}
    shapes = {name: [list(x.shape), str(x.dtype)] for name, x in arrays.items()}
    return {name: x for name, x in arrays.items() if x.size}, shapes


def _checkpointer() -> ocp.Checkpointer:
    return ocp.Checkpointer(ocp.CompositeCheckpointHandler())


def save(
    path: Path | str,
    learner: Learner,
    env: World,
    beside: Mapping[str, bytes] | None = None,
    check_room: Callable[[int], None] = lambda num_bytes: None,
) -> None:
    """Writes a checkpoint folder at `path`, replacing one that is there.

    Args:
      env: the world that `learner` trains in; its state is stored too. One whose lanes step on
        their own cannot be restored, so nothing of its episodes is stored.
      beside: more files of the folder, by name.
      check_room: called with the bytes that are about to be written; may raise.

    Raises:
      OSError: the disk refused it.
    """
    world = env.save() if on_host.is_host(env) else None
    if on_host.is_async(env):
        learner = learner.replace(rollout=None)
    _write(path, learner, world, beside or {}, check_room)


def save_params(path: Path | str, params: Params) -> None:
    """Writes networks alone, replacing what is there."""
    _write(path, params, None, {}, lambda num_bytes: None)


def load_params(path: Path | str, config: NetworkConfig) -> Params:
    """Reads what `save_params` wrote.

    Raises:
      FileNotFoundError: there is nothing at `path`.
      ValueError: the networks have other sizes, or the files are damaged.
    """
    arrays, meta = _read(Path(path).absolute())
    template = init_params(config, jax.random.key(0))
    return _rebuild(arrays, meta["learner"], template, "networks", check=True)


def is_whole(path: Path) -> bool:
    """Whether every file of a checkpoint is as it was written. Of one without hashes, by an
    earlier version, that is not known: True."""
    try:
        return json.loads((path / HASHES).read_bytes()) == _hashes(path)
    except FileNotFoundError:
        return path.is_dir() and any(path.iterdir())
    except (OSError, ValueError):
        return False


def _hashes(path: Path) -> dict[str, str]:
    files = sorted(p for p in path.rglob("*") if p.is_file() and p.name != HASHES)
    return {str(p.relative_to(path)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def _write(
    path: Path | str,
    learner: Any,
    world: Any,
    beside: Mapping[str, bytes],
    check_room: Callable[[int], None],
) -> None:
    learner_arrays, learner_shapes = _flat(learner, "learner")
    world_arrays, world_shapes = _flat(world, "world")
    meta = {"version": VERSION, "learner": learner_shapes, "world": world_shapes}
    arrays, folder = {**learner_arrays, **world_arrays}, Path(path).absolute()
    # Orbax, out of room, tells it from many threads: it is asked for before.
    check_room(sum(x.nbytes for x in arrays.values()) + sum(map(len, beside.values())) + MORE_BYTES)
    try:
        with _threads_in_silence(), _checkpointer() as checkpointer:
            items = ocp.args.Composite(
                arrays=ocp.args.PyTreeSave(arrays), meta=ocp.args.JsonSave(meta)
            )
            checkpointer.save(folder, args=items, force=True)
    except Exception as error:
        why = f"the checkpoint was not written: {str(error).partition(chr(10))[0]}"
        raise OSError(getattr(error, "errno", None) or errno.EIO, why, str(path)) from error
    for name, content in beside.items():
        (folder / name).write_bytes(content)
    (folder / HASHES).write_text(json.dumps(_hashes(folder)))


@contextlib.contextmanager
def _threads_in_silence() -> Iterator[None]:
    """A write of Orbax that fails is told by its exception. What is left of it ends in threads that
    find nobody waiting, and each would print a traceback, so after a failure this stays."""
    before = sys.unraisablehook

    def hook(told: "sys.UnraisableHookArgs") -> None:
        if str(told.exc_value) != "Event loop is closed":
            before(told)

    sys.unraisablehook = hook
    yield
    sys.unraisablehook = before


def _read(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    if not path.is_dir():
        raise FileNotFoundError(f"no checkpoint at {path}. Give the folder that `save` wrote.")
    if not is_whole(path):
        raise CheckpointDamaged(
            f"the checkpoint {path} is damaged. Going on with the run takes the one before it."
        )
    with _checkpointer() as checkpointer:
        meta = checkpointer.restore(path, args=ocp.args.Composite(meta=ocp.args.JsonRestore())).meta
        if meta.get("version") != VERSION:
            raise ValueError(
                f"{path} has format {meta.get('version')}; this code reads format {VERSION}."
            )
        shapes = {**meta["learner"], **meta["world"]}
        stored = {n: ocp.RestoreArgs(restore_type=np.ndarray)
                  for n, (shape, _) in shapes.items() if 0 not in shape}  # fmt: skip
        arrays = checkpointer.restore(
            path,
            args=ocp.args.Composite(
                arrays=ocp.args.PyTreeRestore(dict.fromkeys(stored, 0), restore_args=stored)
            ),
        ).arrays
    empty = {n: np.zeros(shape, dtype) for n, (shape, dtype) in shapes.items() if n not in stored}
    return {**arrays, **empty}, meta


def _rebuild(
    arrays: dict[str, np.ndarray], shapes: dict[str, list], template: Any, what: str, check: bool
) -> Any:
    """`check` compares shapes too; the arrays of a world may change theirs."""
    leaves, structure = jax.tree.flatten(template)
    stored = [arrays[name] for name in sorted(shapes, key=lambda name: (len(name), name))]
    ok = len(leaves) == len(stored) and (
        not check or all(x.shape == _to_numpy(y).shape for x, y in zip(stored, leaves, strict=True))
    )
    if not ok:
        raise ValueError(
            f"the {what} of this checkpoint has another structure than the one to restore. "
            "Use the configuration, action space and world it was saved with."
        )
    restored = [_like(x, y) for x, y in zip(stored, leaves, strict=True)]
    return jax.tree.unflatten(structure, restored)


def load(
    path: Path | str, env: World, space: HybridSpace, config: RLConfig, begins: bool = True
) -> Learner:
    """Restores the learner, and the state of `env` if it keeps its own.

    Args:
      begins: whether new episodes are begun in a world whose lanes step on their own, whose old
        ones are lost. Without, `carry_over` can go on with the learner, and `train` cannot.

    Raises:
      FileNotFoundError: there is no checkpoint at `path`.
      ValueError: it was made with other sizes, or is damaged.
    """
    arrays, meta = _read(Path(path).absolute())
    is_async = on_host.is_async(env)
    make = without_episodes if is_async else init_learner
    template = make(env, space, config, seed=0)
    learner = _rebuild(arrays, meta["learner"], template, "learner", check=True)
    if on_host.is_host(env) and (begins or not is_async):
        obs = env.load(_rebuild(arrays, meta["world"], env.save(), "world", check=False))
        fresh = at_start(env, space, config, obs) if is_async else learner.rollout
        learner = learner.replace(rollout=fresh._replace(obs=obs))
    return learner
