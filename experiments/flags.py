"""The command line of a run, read without importing jax.

    python -m experiments.main --config=harvest_milk --seed=1 --config.ppo.num_envs=32

`parse` gives a `Settings` or raises `ConfigError`; nothing is created on disk here.
"""

import dataclasses
import datetime
import json
import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from absl import flags

from experiments import set_up
from experiments.checks import check_budget, check_library, check_start
from experiments.config_files import config_names as config_names
from experiments.config_files import load_config, stem_of
from experiments.config_tree import differences, from_dict
from experiments.configs import base
from experiments.recordings import check_transcript
from experiments.task_fields import override
from experiments.values import ConfigError, parse_value, suggest

HELP = {
    "config": "Name of a configuration or of a task (`experiments.main --config=help` lists them), "
    "or the path of a file of yours: my_task.py.",
    "workdir": "Run folder (default: runs/<config>-seed<seed>-<time>).",
    "resume": "Go on with the run in --workdir, or with the newest one of this configuration.",
    "seed": "Seed of everything random.",
    "smoke": "The same path with a budget of seconds; its numbers mean nothing.",
}
# What a resumed run may change: a budget that was used up, a model that is gone, how Minecraft is
# launched, where the files of the CLIP reward lie (of the same weights: `mineclip.reward_term`).
FREE = (
    "budget.", "llm.", "tracker", "films", "minedojo.", "mineclip.weights", "mineclip.merges",
    "mineclip.texts",
)  # fmt: skip
# Of the fields that a resumed run may change, those that it may not.
FIXED = (
    "llm.provider", "llm.transcript", "minedojo.workers", "minedojo.reset_every",
    "minedojo.image_size",
)  # fmt: skip
# Where a run keeps its settings. The second is read if the first is damaged.
COPIES = ("config.json", "config.copy.json")


@dataclasses.dataclass(frozen=True)
class Settings:
    """What the command line asked for."""

    name: str  # of the configuration
    config: base.Config
    workdir: Path
    resume: bool
    smoke: bool
    command: str = ""  # that starts the same run in another folder; "" of older runs


def help_text(text: str | None, words: Mapping[str, str], *more: str) -> str:
    """What a command is, its flags, and what else is to be said."""
    width = max(map(len, words)) + 1
    lines = (f"  --{name:<{width}} {meaning}" for name, meaning in words.items())
    return "\n".join([(text or "").strip(), "", *lines, *more])


def parse(argv: Sequence[str]) -> Settings:
    """Reads the command line (without the program's name).

    Raises:
      ConfigError: for unknown names and bad values.
    """
    assignments, rest = split_overrides(argv)
    check_once(rest, assignments)
    hint = "Usage: python -m experiments.main --config=NAME [--config.<field>=VALUE ...]"
    values = read(rest, HELP, ("resume", "smoke"), hint=hint)
    config = None
    if values.config:
        config = resolve(values.config, values.seed, values.smoke, assignments)
    elif not values.resume or not values.workdir:
        raise ConfigError(f"--config=NAME is needed. {suggest('', sorted(config_names()))}")
    elif values.seed is not None:
        assignments = [("seed", values.seed), *assignments]
    workdir = Path(values.workdir) if values.workdir else None
    if values.resume:
        settings = resumed(values.config, config, workdir, assignments)
        if values.smoke and not settings.smoke:
            raise ConfigError(f"--resume: {settings.workdir} is no smoke run. Leave out --smoke.")
        check_start(settings.config)
        return settings
    assert config is not None
    name = stem_of(values.config)
    stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    workdir = workdir or Path("runs") / f"{name}-seed{config.seed}-{stamp}"
    if holds_run(workdir):
        raise ConfigError(
            f"--workdir={workdir} holds a run already. Add --resume to go on with it, or "
            "choose another folder."
        )
    check_library(config)
    if config.set_up:
        set_up.check(Path(config.set_up), config.task_record.name, config.sight)
    elif config.set_up_primitives:
        raise ConfigError("set_up_primitives=true is of no set-up: give --config.set_up=RUN too.")
    check_start(config)
    more = ["--smoke"] * values.smoke + [f"--seed={values.seed}"] * (values.seed is not None)
    command = command_of(values.config, assignments, *more)
    return Settings(name, config, workdir, False, values.smoke, command)


def command_of(name: str, assignments: Sequence[tuple[str, str]], *more: str) -> str:
    """Starts a run of a configuration, in a folder of its own."""
    words = ["python", "-m", "experiments.main", f"--config={name}", *more]
    return shlex.join([*words, *(f"--config.{path}={text}" for path, text in assignments)])


def holds_run(workdir: Path) -> bool:
    """Raises ConfigError for a path that cannot be looked at, or printed in a command."""
    if not str(workdir).isprintable():
        raise ConfigError(
            f"--workdir={ascii(str(workdir))[:80]}: no usable path (it holds control characters)."
        )
    try:
        return (workdir / "config.json").exists()
    except (OSError, ValueError) as error:  # too long, not ours to read, with a null byte
        why = getattr(error, "strerror", "") or error
        raise ConfigError(f"--workdir={str(workdir)[:80]}: no usable path ({why}).") from error


def check_once(argv: Sequence[str], assignments: Sequence[tuple[str, str]]) -> None:
    """Refuses a flag that is given twice: which of them counts would be a guess."""
    plain = [word.lstrip("-").partition("=")[0] for word in argv if word.startswith("--")]
    names = [name.removeprefix("no") if name[2:] in HELP else name for name in plain]
    names = [f"config.{name}" if name == "seed" else name for name in names]
    names += [f"config.{path}" for path, _ in assignments]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise ConfigError(f"--{twice} is given more than once. Give it once.")


def split_overrides(argv: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Separates `--config.path=text` (or `--config.path text`) from ordinary flags."""
    assignments: list[tuple[str, str]] = []
    rest: list[str] = []
    waiting = list(argv)
    while waiting:
        word = waiting.pop(0)
        name = word.lstrip("-")
        if not (word.startswith("-") and name.startswith("config.")):
            rest.append(word)
            continue
        path, given, text = name.removeprefix("config.").partition("=")
        if not given:
            if not waiting or waiting[0].startswith("--"):
                raise ConfigError(f"--config.{path} needs a value: --config.{path}=VALUE.")
            text = waiting.pop(0)
        assignments.append((path, text))
    return assignments, rest


def read(
    argv: Sequence[str],
    words: Mapping[str, str],
    switches: Collection[str] = (),
    lists: Collection[str] = (),
    hint: str = "",
) -> flags.FlagValues:
    """The flags of a command line, with one clear error for a name or value that is not valid.

    Args:
      argv: the command line without the program's name.
      words: flags with their help. But for switches they are text until somebody checks it.
      lists: flags that may be given more than once.
      hint: ends the error for what is no flag.

    Raises:
      ConfigError: unknown flag, bad value, or a word that is no flag.
    """
    values = flags.FlagValues()
    for name, text in words.items():
        if name in switches:
            flags.DEFINE_boolean(name, False, text, flag_values=values)
        elif name in lists:
            flags.DEFINE_multi_string(name, [], text, flag_values=values)
        else:
            flags.DEFINE_string(name, None, text, flag_values=values)
    try:
        left = values(["experiments", *argv])[1:]
    except flags.UnrecognizedFlagError as error:
        known = [f"--{name}" for name in words]
        raise ConfigError(
            f"--{error.flagname}: no such flag. {suggest('--' + error.flagname, known)}"
        ) from error
    except flags.Error as error:
        raise ConfigError(str(error)) from error
    if left:
        raise ConfigError(f"{left[0]!r} is not a flag; flags start with --. {hint}".rstrip())
    return values


def resolve(
    name: str, seed: str | None, is_smoke: bool, assignments: Sequence[tuple[str, str]]
) -> base.Config:
    """The configuration file, then --smoke, then --seed, then the overrides."""
    config = load_config(name)
    if is_smoke:
        config = base.smoke(config)
    if seed is not None:
        assignments = [("seed", seed), *assignments]
        parse_value(seed, int, "--seed")
    for path, text in assignments:
        if path == "seed" and re.search(r"[._eE]", text):
            raise ConfigError(f"--seed={text}: needs a whole number in digits, as --seed=1000.")
    config = override(config, assignments)
    check_transcript(config)
    if not is_smoke:
        check_budget(config)
    return config


def may_change(path: str) -> bool:
    """Whether a resumed run may have another value. No recorded answer is asked for again."""
    return path.startswith(FREE) and path not in FIXED


def resumed(
    name: str | None,
    asked: base.Config | None,
    workdir: Path | None,
    assignments: Sequence[tuple[str, str]] = (),
) -> Settings:
    """The run to go on with. What it was started with stands but for what `may_change`; other
    settings are refused."""
    if workdir is None:
        assert name is not None and asked is not None
        workdir = newest_run(stem_of(name), asked.seed)
    holds_run(workdir)  # a path that can be looked at
    saved = started_with(workdir)
    config = from_dict(base.Config, saved["config"])
    budget = [pair for pair in assignments if may_change(pair[0])]
    config = override(config, budget)
    asked = override(config, assignments) if asked is None else asked
    changes = [c for c in differences(config, asked) if not may_change(c.partition(":")[0])]
    if changes:
        raise ConfigError(
            f"--resume: {workdir} was started with other settings ({'; '.join(changes[:4])}). "
            "Give the same ones, or only --workdir and --resume. "
            f"({', '.join(name + '*' * name.endswith('.') for name in FREE)} may be changed, but "
            f"for {', '.join(FIXED)}.)"
        )
    smoke, command = saved.get("smoke", False), saved.get("command", "")
    return Settings(saved["name"], config, workdir, True, smoke, command)


def started_with(workdir: Path) -> dict[str, Any]:
    """The content of a run's config.json, or of its copy where that is damaged."""
    why = ""
    for file in COPIES:
        try:
            saved = json.loads((workdir / file).read_text(encoding="utf-8"))
            if "sight" not in saved["config"]:
                raise ConfigError(
                    f"{workdir} was started by an earlier version, whose checkpoints and "
                    "trials this one cannot read. Start a new run folder; experiments.report still "
                    "shows the old."
                )
            return saved | {"name": str(saved["name"]), "config": dict(saved["config"])}
        except ConfigError:
            raise
        except FileNotFoundError:
            continue
        except (OSError, ValueError, KeyError, TypeError) as error:
            why = why or f"{type(error).__name__}: {error}"
    if not why:
        raise ConfigError(f"{workdir} holds no config.json, so no run. Give a run folder.")
    raise ConfigError(
        f"{workdir / COPIES[0]} is damaged ({why}), and so is its copy. Start a run with "
        "the same settings in another --workdir, and copy its config.json here."
    )


def how_to_go_on(workdir: Path) -> str:
    return f"Go on with: python -m experiments.main --workdir={workdir} --resume"


def newest_run(name: str, seed: int) -> Path:
    """The run folder of this configuration and seed that was started last."""
    found = sorted(Path("runs").glob(f"{name}-seed{seed}-*/config.json"))
    if not found:
        raise ConfigError(
            f"--resume: no runs/{name}-seed{seed}-* here. Name the run with --workdir=FOLDER."
        )
    return found[-1].parent
