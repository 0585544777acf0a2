"""From settings to a finished run folder: worlds, model, loops, videos, report."""

import contextlib
import dataclasses
import datetime
import functools
import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
from rich.console import Console
from rich.markup import escape

from experiments import machine, set_up
from experiments.compiles import Compiles
from experiments.configs.base import Config
from experiments.films import choose
from experiments.flags import COPIES, Settings, how_to_go_on
from experiments.mineclip import reward_term
from experiments.progress import Display
from experiments.report.last_words import Done, tell
from experiments.report.page import write_report
from experiments.signals import Stop, Stopped
from experiments.tracking import Tracker
from experiments.values import ConfigError
from experiments.wiring import check_machine, env_maker, make_budget, make_provider, requests_folder
from rlgpt_jax.agents import prompts
from rlgpt_jax.agents.llm import tokens
from rlgpt_jax.agents.llm.base import Provider, ProviderError
from rlgpt_jax.agents.llm.budget import BudgetExceeded
from rlgpt_jax.agents.llm.disk import Damaged, words_of
from rlgpt_jax.agents.llm.exchange import read_lines
from rlgpt_jax.agents.llm.replay import MissingAnswer, PromptDiffers
from rlgpt_jax.agents.llm.transcript import TranscriptNotWritten
from rlgpt_jax.envs.minedojo.failures import WorkerFailed
from rlgpt_jax.loop import long_task, mend, two_loop
from rlgpt_jax.loop.events import Drawn, Event, OnEvent, ignore
from rlgpt_jax.loop.library import saving, store
from rlgpt_jax.loop.library.offer import Offer, make_offer
from rlgpt_jax.loop.library.store import LibraryError
from rlgpt_jax.loop.record import RunFolder, read_json, write_json
from rlgpt_jax.loop.tools import Tools
from rlgpt_jax.rl.checkpoint import CheckpointDamaged
from rlgpt_jax.rl.evaluate.lost import TooManyLost
from rlgpt_jax.rl.lane_memory import DoesNotFit
from rlgpt_jax.rl.reward.clip.faults import MineClipError
from rlgpt_jax.rl.train import TrainingDiverged

# Ends of a run that are not faults of this program: told in words, without a traceback.
EXPECTED = (
    ProviderError, MissingAnswer, PromptDiffers, BudgetExceeded, TranscriptNotWritten, TimeoutError,
    TrainingDiverged, LibraryError, MineClipError, WorkerFailed, TooManyLost, ConfigError,
    DoesNotFit, MemoryError, Damaged, CheckpointDamaged, OSError, Stopped,
)  # fmt: skip


def run(settings: Settings, stop: Stop) -> int:
    """Runs or resumes. Returns the exit code of the program.

    Raises:
      ConfigError: this machine cannot; nothing was written.
    """
    check_machine(settings.config)
    console = Console(file=sys.stdout)
    display = Display(console, requests_folder(settings))
    compiles = Compiles(display.compiling, display.compiled)
    began = datetime.datetime.now()
    with display:
        try:
            done = go(settings, display, compiles, stop)
        except BaseException as raised:
            error = stop.swallowed or raised
            if not isinstance(error, (*EXPECTED, KeyboardInterrupt)):
                raise
            stopped = isinstance(error, KeyboardInterrupt)
            words = str(error) or ("told to end from the keyboard" if stopped else "out of memory")
            if isinstance(error, OSError) and not isinstance(error, TimeoutError):
                words = words_of(error)
            with contextlib.suppress(OSError):  # a terminal that is gone
                display.say(f"\n[red]Stopped:[/red] {escape(words)}")
                display.say(escape(resume_words(settings, error)))
            return 1
        finally:
            compiles.close()
            with contextlib.suppress(OSError, Damaged):  # a full disk: told above
                note_compiles(settings.workdir, compiles)
    with contextlib.suppress(OSError):  # a full disk: the one before stays, without all times
        done = dataclasses.replace(done, report=write_report(settings.workdir))
    seconds = (datetime.datetime.now() - began).total_seconds()
    tell(display, done, seconds, compiles.total, settings.config)
    return 0


def go(settings: Settings, display: Display, compiles: Compiles, stop: Stop) -> Done:
    """The run itself."""
    config = settings.config
    folder = RunFolder(settings.workdir)
    display.say(f"Run folder {escape(str(settings.workdir))}")
    for words in mend.look_over(folder, asks_again=config.llm.provider == "replay"):
        display.say(f"[yellow]{escape(words)}[/yellow]")
    reward_term.check_weights(config, folder)  # before config.json names others
    write_settings(folder, settings, display)
    reward_term.note_weights(config, folder)
    display.say(
        f"Device {jax.default_backend()}. The world, the policy and the update are compiled "
        f"on first use and kept in {escape(str(machine.CACHE))}."
    )
    offer = take_library(config, folder, display)
    provider = make_provider(config, settings)
    budget = make_budget(config, folder.root)

    tracker = Tracker(folder.root, config, lambda words: display.say(f"[yellow]{escape(words)}"))

    def tell_all(event: Event) -> None:
        compiles.hear(event)
        display(event)
        tracker(event)
        stop.raise_if_told()

    heard = budget.clock.beating(tell_all)
    tools = make_tools(config, folder, provider, offer, heard, display.worlds)
    tools = dataclasses.replace(tools, budget=budget, is_told_to_end=lambda: bool(stop.came))
    with contextlib.closing(tracker):
        return (go_long if config.loop.planner else go_short)(settings, tools, display)


def go_short(settings: Settings, tools: Tools, display: Display) -> Done:
    """The run of a task as it is."""
    config, folder = settings.config, tools.folder
    finished = two_loop.run(config.loop, tools)
    params = finished.learning.params(finished.iterations[-1].stage)
    result = signed(config, folder, finished.result, params)
    if config.macros.save:
        names = store.add(Path(config.macros.save), saving.entries_of(folder.root))
        display.say(f"\n{len(names)} macros saved in {escape(config.macros.save)}.")
    draw = functools.partial(choose.of_run, config, tools, finished, display, settings.smoke)
    return drawn(result, tools, display, draw if config.films else None)


def go_long(settings: Settings, tools: Tools, display: Display) -> Done:
    """The run of a long task, which a planner splits."""
    config, folder = settings.config, tools.folder
    finished = long_task.run(config.loop, tools)
    if config.macros.save:
        display.say("macros.save: the code of a long task stays in the run's skills folder.")
    params = [skill.params for skill in finished.chain.skills]
    result = signed(config, folder, finished.result, params)
    draw = functools.partial(choose.of_chain, config, tools, finished, display, settings.smoke)
    return drawn(result, tools, display, draw if config.films else None)


def drawn(
    result: dict[str, Any], tools: Tools, display: Display, draw: Callable[[], list[Path]] | None
) -> Done:
    """Draws videos; the report is there before, if the run is killed while drawing."""
    display.phase("drawing the report")
    report = write_report(tools.folder.root)
    videos = []
    if draw is not None:
        display.say(f"\n{escape(str(report))} is there already. Drawing videos for it.")
        display.phase("drawing videos")
        with tools.folder.timed("videos"):
            videos = draw()
        tools.on_event(Drawn(tuple(videos)))
    display.phase("")
    if tools.budget is not None:
        tools.budget.clock.save()
    return Done(result, report, videos)


def make_tools(
    config: Config,
    folder: RunFolder,
    provider: Provider | None,
    offer: Offer,
    on_event: OnEvent = ignore,
    on_worlds: Callable[[str, int, int], None] = lambda *_: None,
) -> Tools:
    """What the loops are given, from the settings of a run."""
    return Tools(
        task=config.task_record,
        make_env=env_maker(config, on_worlds),
        provider=provider,
        folder=folder,
        rl=config.rl,
        seed=config.seed,
        sensors=config.sensors,
        tick_limit=config.macros.tick_limit,
        prompts=prompts.load(
            advice=config.prompts.advice, spec=config.task_record.spec is not None
        ),
        critic=config.critic,
        offer=offer,
        set_up=set_up.take(config.set_up, folder, config.set_up_primitives),
        on_event=on_event,
    )


def take_library(config: Config, folder: RunFolder, display: Display) -> Offer:
    """What the run takes from its library, of which it keeps a copy: resuming reads that."""
    entries: tuple[store.Entry, ...] = ()
    if config.macros.library:
        copy = folder.path(saving.COPY)
        if not copy.exists():
            store.copy(store.load(Path(config.macros.library)), copy)
        entries = store.load(copy)
    offer = offer_of(config, entries)
    if entries:
        names = ", ".join(fate.name for fate in offer.macros) or "none"
        display.say(
            f"Library of {len(entries)} macros. Offered to the policy: {names}. Functions that "
            f"new macros may call: {len(offer.functions)}."
        )
    for words in offer.left_out:
        display.say(f"  [yellow]left out[/yellow] {escape(words)}")
    return offer


def offer_of(config: Config, entries: tuple[store.Entry, ...]) -> Offer:
    """What the policy and new macros are offered of a library and of the world's skills."""
    spec, macros = config.task_record.spec, config.macros
    skills = macros.skills or bool(spec and spec.skills)
    return make_offer(entries, config.loop, config.sensors, macros.offer, skills, spec)


def write_settings(folder: RunFolder, settings: Settings, display: Display) -> None:
    """Writes config.json and version.json; a resumed run notes what is different now."""
    config = dataclasses.asdict(settings.config)
    about = {"name": settings.name, "smoke": settings.smoke, "command": settings.command}
    for copy in COPIES:
        write_json(folder.path(copy), {**about, "config": config})
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    version = machine.describe()
    old = read_json(folder.path("version.json"))
    if old is None:
        write_json(folder.path("version.json"), {**version, "started": now, "resumed": []})
        return
    changed = [name for name, value in version.items() if old.get(name) != value]
    if set(changed) - {"changed_files"}:
        display.say(
            f"[yellow]Different from when the run was started: {', '.join(changed)}. Its bits "
            "may differ from an undisturbed run.[/yellow]"
        )
    old["resumed"].append({"at": now, "changed": {name: version[name] for name in changed}})
    write_json(folder.path("version.json"), old)


def signed(
    config: Config, folder: RunFolder, result: dict[str, Any], params: Any
) -> dict[str, Any]:
    """Adds to result.json what was seen, a hash of the last networks, to compare runs bit by
    bit, and the tokens that every agent took in every iteration."""
    lines = read_lines(folder.transcript) if folder.transcript.exists() else []
    digest = hashlib.sha256()
    for leaf in jax.tree.leaves(params):
        digest.update(np.asarray(leaf).tobytes())
    result = {
        **result, "sight": config.sight, "tokens": tokens.to_json(lines),
        "params_sha256": digest.hexdigest(),
    }  # fmt: skip
    write_json(folder.path("result.json"), result)
    return result


def note_compiles(workdir: Path, compiles: Compiles) -> None:
    """Adds what this start of the program compiled to compile.json."""
    path = workdir / "compile.json"
    slowest = sorted(compiles.seconds.items(), key=lambda pair: -pair[1])[:20]
    notable = {name: round(seconds, 2) for name, seconds in slowest if seconds > 0.1}
    starts = read_json(path) or []
    told = {"seconds": round(compiles.total, 2), "programs": notable, "late": compiles.late}
    write_json(path, [*starts, told])


def resume_words(settings: Settings, error: BaseException) -> str:
    """How to go on; a budget has to be raised for that."""
    command = how_to_go_on(settings.workdir)
    if isinstance(error, BudgetExceeded):
        command += f" --config.budget.{error.field}={error.enough}"
    return command
