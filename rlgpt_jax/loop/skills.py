"""A solved sub-task as a skill on disk: when it is started, and what acts then.

    skills/<name>/skill.json   goal, needs, limits, action space, RL interface, its numbers
                  macros/<slot>_<name>.py   code by slot of the action space
                  library/<name>.py         functions that this code may call
                  networks/                 Orbax checkpoint; none if code alone acts

A skill is there as a whole or not at all.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rlgpt_jax.agents.llm.disk import write_atomically
from rlgpt_jax.agents.prompt_state import Fate
from rlgpt_jax.loop.record import read_json, read_text, whole_folder, write_json
from rlgpt_jax.loop.tools import Tools
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.refusal import Refusal
from rlgpt_jax.macros.vm.bytecode import MAX_MACROS, link
from rlgpt_jax.rl import checkpoint
from rlgpt_jax.rl.actions import HybridSpace, empty_space
from rlgpt_jax.rl.chain.rule import Goal
from rlgpt_jax.rl.chain.skills import Skill
from rlgpt_jax.rl.config import NetworkConfig
from rlgpt_jax.rl.interface import RLInterface

VERSION = 2


class SkillError(ValueError):
    """A skill that cannot be used; the message says which file and why."""


def is_saved(folder: Path) -> bool:
    return (folder / "skill.json").exists()


def save(
    folder: Path,
    skill: Skill,
    fates: Sequence[Fate],
    tools: Tools,
    interface: RLInterface,
    about: Mapping[str, Any],
) -> None:
    """Writes a skill.

    Args:
      folder: of the skill; what is there is replaced.
      fates: the code in the slots of its action space, in order.
      tools: of the loops that found it.
      interface: how its training was set up, for readers.
      about: plain data about where it comes from, for readers.
    """
    record = {
        "version": VERSION,
        "goal": dataclasses.asdict(skill.goal),
        "observation": skill.observation,
        "targets": skill.targets,
        "space": {
            field.name: getattr(skill.space, field.name)
            for field in dataclasses.fields(skill.space)
            if field.name != "macros"
        },
        "sensors": tools.sensors,
        "network": dataclasses.asdict(tools.rl.network) if skill.params is not None else None,
        "interface": dataclasses.asdict(interface),
        "about": dict(about),
    }
    with whole_folder(folder) as part:
        for slot, fate in enumerate(fates, start=1):
            write_atomically(part / "macros" / f"{slot}_{fate.name}.py", fate.source)
        for name, text in tools.offer.sources.items():
            write_atomically(part / "library" / f"{name}.py", text)
        if skill.params is not None:
            checkpoint.save_params(part / "networks", skill.params)
        write_json(part / "skill.json", record)


def load(folder: Path) -> Skill:
    """Reads a skill and compiles its code again.

    Raises:
      SkillError: there is none, it is of another version, or its code is refused now.
    """
    record = read_json(folder / "skill.json")
    if record is None:
        raise SkillError(f"{folder}: holds no skill.json, so no skill")
    if record.get("version") != VERSION:
        raise SkillError(
            f"{folder}: has version {record.get('version')}; this code reads {VERSION}. Train it "
            "again with this version."
        )
    network, goal = record["network"], record["goal"]
    needs = tuple((item, number) for item, number in goal.pop("needs"))
    return Skill(
        goal=Goal(**goal, needs=needs),
        space=_space(folder, record),
        observation=tuple(record["observation"]),
        params=checkpoint.load_params(folder / "networks", NetworkConfig(**network))
        if network
        else None,
        targets=tuple(record["targets"]),
    )


def _space(folder: Path, record: Mapping[str, Any]) -> HybridSpace:
    values: dict[str, Any] = {
        k: tuple(v) if isinstance(v, list) else v for k, v in record["space"].items()
    }
    library = {path.stem: read_text(path) for path in sorted((folder / "library").glob("*.py"))}
    paths = sorted((folder / "macros").glob("*.py"), key=lambda path: int(path.stem[0]))
    programs = []
    for path in paths[:MAX_MACROS]:
        name = path.stem.partition("_")[2]
        program = parse_macro(read_text(path), name, record["sensors"], library)
        if isinstance(program, Refusal):
            raise SkillError(
                f"{path}: was accepted before and is refused now: {program.describe()}"
            )
        programs.append(program)
    macros = link(programs) if programs else empty_space().macros
    return HybridSpace(macros=macros, **values)
