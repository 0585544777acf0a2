"""One game of MineDojo, driven by frames on two pipes.

    PYTHON worker.py FD_IN FD_OUT

Runs under MineDojo's own interpreter (Python 3.9 to 3.11) and imports the standard library,
NumPy and minedojo alone. Whatever is printed goes to the log; frames have pipes of their own.
Their form is told in `request.py`. Requests are answered one by one:

    hello    {}                                -> versions, capabilities
    make     {task_id, kwargs, port, quick_copy, patience} -> {}
    reset    {rebuild, world_seed, seed, rgb, before, after} -> observation and facts
    step     {action, ticks}                   -> observation and facts, success

A reply has ok=True, or ok=False with `error` and `kind`: bad_request, client, or died, when
the game is gone and nothing more can be done in this process. A game that went silently is told
so and never as the end of an episode. Where the requests end the worker ends its game.
"""

import copy
import importlib
import inspect
import json
import os
import struct
import sys
import traceback
from importlib import metadata
from typing import Any

import numpy as np

PREFIX = struct.Struct(">IQ")
MAX_HEADER, MAX_BODY = 8 << 20, 64 << 20
KINDS = "biufU"
NOOP = (0, 0, 0, 12, 12, 0, 0, 0)
REQUESTS = ("hello", "make", "reset", "step")  # methods of `Worker`
# Of the game's 1,800 facts a tick; life and place are in the observation.
FACTS = ("is_dead", "living_death_event_fired", "world_time", "damage_source")


class BadRequest(Exception):
    """The parent asked for what cannot be."""


class Died(Exception):
    """The game is gone."""


# --- frames --------------------------------------------------------------------------
def read_exactly(fd, size):
    """`size` bytes, or None where the pipe is at its end before the first."""
    parts, missing = [], size
    while missing:
        part = os.read(fd, min(missing, 1 << 20))
        if not part:
            if missing == size:
                return None
            raise EOFError("the pipe ended within a frame")
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def read_frame(fd):
    """The header of the next frame, or None at the end. Requests bring no arrays."""
    prefix = read_exactly(fd, PREFIX.size)
    if prefix is None:
        return None
    header, body = PREFIX.unpack(prefix)
    if header > MAX_HEADER or body > MAX_BODY:
        raise ValueError(f"a frame of {header} + {body} bytes")
    text = read_exactly(fd, header)
    read_exactly(fd, body)
    return json.loads(text)


def write_frame(fd, header, arrays):
    """Writes one frame whole."""
    table, parts = [], []
    for name, array in arrays.items():
        if array.dtype.kind in KINDS:
            table.append([name, array.dtype.str, array.shape])
            parts.append(array.tobytes())
    text = json.dumps(dict(header, arrays=table), default=plain).encode("utf-8")
    body = b"".join(parts)
    view = memoryview(PREFIX.pack(len(text), len(body)) + text + body)
    while view:
        view = view[os.write(fd, view) :]


def plain(value):
    """NumPy's numbers as JSON's."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    return str(value)


# --- what there is ---------------------------------------------------------------------
def layers(env):
    """The environment and all that it wraps, outermost first."""
    while env is not None:
        yield env
        env = env.__dict__.get("env")


def uses(function, name):
    """Whether a function calls `name`; None without its code."""
    code = getattr(function, "__code__", None)
    return None if code is None else name in code.co_names


def part(module, name):
    """An object of minedojo's; None in a fork that has none."""
    try:
        return getattr(importlib.import_module("minedojo." + module), name, None)
    except ImportError:
        return None


def capabilities():
    """In what releases, forks and the git version differ; None where it cannot be told."""
    harvest = part("tasks.meta", "HarvestMeta")
    rule = getattr(part("tasks.meta.base", "MetaTaskBase"), "_determine_success_hook", None)
    known = inspect.signature(harvest.__init__).parameters if harvest else ()
    return {
        # 0.1 takes a task's row apart, so that a second make of it fails in one process.
        "repeated_make": uses(part("tasks", "_specific_task_make"), "copy"),
        "success_rule": "any" if uses(rule, "any") else "all" if uses(rule, "all") else None,
        "fast_reset_arguments": sorted(name for name in known if name.startswith("fast_reset")),
    }


def version():
    """The installed release of minedojo, or "unknown"."""
    try:
        return metadata.version("minedojo")
    except metadata.PackageNotFoundError:
        return "unknown"


# --- what the client is cured of --------------------------------------------------------
def use_existing_game(port):
    """Makes the client connect to a game that listens at `port` instead of launching one."""
    from minedojo.sim.bridge import BridgeEnv

    launch = BridgeEnv._get_new_instance

    def connect(self, port=port, instance_id=None):
        return launch(self, port=port, instance_id=instance_id)

    BridgeEnv._get_new_instance = connect


def be_patient(seconds):
    """Makes the client wait this long for its game; its own limit is 240 s."""
    from minedojo.sim.bridge import BridgeEnv

    BridgeEnv.SOCKTIME = seconds


def quick_copy(value):
    """What `copy.deepcopy` gives for nested dicts and lists of plain values, 10 times sooner."""
    kind = type(value)
    if kind is dict:
        return {key: quick_copy(part) for key, part in value.items()}
    if kind is list:
        return [quick_copy(part) for part in value]
    if kind in (str, int, float, bool, type(None), bytes):
        return value
    if kind is np.ndarray and value.dtype.kind != "O":
        return value.copy()
    return copy.deepcopy(value)


def use_quick_copies():
    """Puts `quick_copy` where the client copies its 1,800 facts, five times a tick."""
    import minedojo.sim.sim as sim
    import minedojo.tasks.meta.base as base

    for module in (sim, base):
        if hasattr(module, "deepcopy"):
            module.deepcopy = quick_copy


def make_env(task_id, kwargs):
    """`minedojo.make`, with arguments that override the row of a programmatic task.

    The row is given back whole afterwards: 0.1 takes it apart.
    """
    import minedojo
    from minedojo import tasks
    from minedojo.sim import InventoryItem

    kwargs = dict(kwargs)
    if "initial_inventory" in kwargs:
        kwargs["initial_inventory"] = [InventoryItem(**row) for row in kwargs["initial_inventory"]]
    rows = getattr(tasks, "ALL_TASKS_SPECS", {})
    if task_id not in rows:
        return minedojo.make(task_id, **kwargs)
    row = rows[task_id]
    rows[task_id] = {key: row[key] for key in row if key not in kwargs}
    try:
        return minedojo.make(task_id, **kwargs)
    finally:
        rows[task_id] = row


# --- the worker --------------------------------------------------------------------------
class Worker:
    """One environment and the requests that it answers."""

    def __init__(self):
        self.env: Any = None  # what minedojo.make gives
        self.sim: Any = None  # what it wraps innermost
        self.with_rgb = False

    def answer(self, request):
        """(reply, arrays); whatever goes wrong is a reply too."""
        kind = "client"
        try:
            op = request.get("op")
            if op not in REQUESTS:
                raise BadRequest(f"no request {op!r}")
            if op in ("reset", "step") and self.env is None:
                raise BadRequest("make comes first")
            reply, arrays = getattr(self, op)(request)
            return dict(reply, ok=True), arrays
        except BadRequest as error:
            kind, text = "bad_request", str(error)
        except Died as error:
            kind, text = "died", str(error)
        except Exception as error:
            traceback.print_exc()
            text = f"{type(error).__name__}: {error}"
            if self.why_dead() is not None:
                kind, text = "died", f"{text} ({self.why_dead()})"
        return {"ok": False, "kind": kind, "error": text}, {}

    def hello(self, request):
        """Imports minedojo, which takes up to a minute, and tells what it is."""
        import minedojo  # noqa: F401

        del request
        python = ".".join(map(str, sys.version_info[:3]))
        reply = {"python": python, "minedojo": version(), "pid": os.getpid()}
        return dict(reply, numpy=np.__version__, capabilities=capabilities()), {}

    def make(self, request):
        """Makes the environment; its game is launched by the first reset."""
        if self.env is not None:
            raise BadRequest("one environment a process; start another worker")
        if request.get("port"):
            use_existing_game(int(request["port"]))
        if request.get("quick_copy"):
            use_quick_copies()
        be_patient(float(request["patience"]))
        self.env = make_env(request["task_id"], request["kwargs"])
        self.sim = self.env.unwrapped
        return {}, {}

    def reset(self, request):
        """Begins an episode: in a world built anew, or quickly in the one that is there."""
        self.with_rgb = bool(request.get("rgb"))
        self.reseed(request["seed"])
        quick = self.quick()
        if request.get("rebuild"):
            if quick is not None:
                quick._server_start = False  # its next reset sends a mission
                quick._info_prev_reset = None
            self.forget_world(request.get("world_seed"))
        elif quick is not None and quick._server_start:
            self.chat(request.get("before", ()))
        self.check(self.env.reset())
        self.chat(request["after"])
        obs = self.tick(NOOP)
        return {"facts": self.facts()}, self.flat(obs)

    def step(self, request):
        """One action, and no-ops up to `ticks` ticks, where the client adds none itself."""
        obs = self.tick(request["action"])
        for _ in range(int(request.get("ticks", 1)) - 1):
            obs = self.tick(NOOP)
        tasks = [layer for layer in layers(self.env) if "_is_successful" in layer.__dict__]
        success = any(bool(task._is_successful) for task in tasks)
        return {"success": success, "facts": self.facts()}, self.flat(obs)

    def close(self):
        """Ends the game."""
        if self.env is not None:
            self.env.close()

    def tick(self, action):
        """The observation after one action of the client."""
        obs = self.env.step(np.asarray(action, np.int64))[0]
        self.check(obs)
        return obs

    def chat(self, commands):
        for command in commands:
            self.sim.execute_cmd(command)

    def check(self, obs):
        """Raises Died where the game is gone.

        The client tells of a dead game by its last observation once more, with done=True and
        no error; after any other step it keeps a copy.
        """
        last = self.sim.prev_obs
        if last is not None and obs.get("inventory") is last.get("inventory"):
            raise Died("the game answered no more")
        why = self.why_dead()
        if why is not None:
            raise Died(why)

    def why_dead(self):
        """In words, or None for a game that runs."""
        bridge = getattr(self.sim, "_bridge_env", None)
        for instance in getattr(bridge, "_instances", ()):
            process = getattr(instance, "minecraft_process", None)
            code = None if process is None else process.poll()
            if code is not None:
                return f"the game's process ended with code {code}"
        if bridge is not None and bridge.is_terminated:
            return "the game ended the mission, or its connection broke"
        return None

    def quick(self):
        """The layer that resets quickly, or None."""
        found = [layer for layer in layers(self.env) if "_server_start" in layer.__dict__]
        return found[0] if found else None

    def reseed(self, seed):
        """Where the client itself draws, for example the places of mobs."""
        self.sim.seed(int(seed))
        for layer in layers(self.env):
            space = layer.__dict__.get("_mob_spawn_range_space")
            if space is not None:
                space.seed(int(seed))

    def forget_world(self, world_seed):
        """Makes the next mission build its world, from this seed."""
        for handler in getattr(self.sim._sim_spec, "_world_generator_handlers", ()):
            if hasattr(handler, "force_reset"):
                handler.force_reset = True
            if world_seed is not None and hasattr(handler, "world_seed"):
                handler.world_seed = str(world_seed)

    def facts(self):
        """What of the client's info is sent."""
        info = self.sim.prev_info
        found = {name: info[name] for name in FACTS if name in info}
        found["inventory"] = [
            [item["name"], int(item["quantity"])]
            for item in info["inventory"]
            if item["name"] != "air" and item["quantity"] > 0
        ]
        found["deaths"] = info.get("stat", {}).get("deaths")
        return found

    def flat(self, obs):
        """{"group/key": array} of an observation."""
        arrays = {}
        for group, value in obs.items():
            if group == "full_stats" or (group == "rgb" and not self.with_rgb):
                continue
            parts = value if isinstance(value, dict) else {"": value}
            for key, part in parts.items():
                arrays[group + "/" + key if key else group] = np.asarray(part)
        return arrays


def main(fd_in, fd_out):
    """Answers requests until the pipe ends, and then ends the game."""
    for fd in (fd_in, fd_out):
        os.set_inheritable(fd, False)  # a game must not hold the pipes open
    worker = Worker()
    while True:
        request = read_frame(fd_in)
        if request is None:
            worker.close()
            return
        reply, arrays = worker.answer(request)
        write_frame(fd_out, reply, arrays)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
