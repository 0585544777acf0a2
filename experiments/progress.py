"""Shows a run while it goes on: bars on a terminal, plain lines elsewhere."""

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from experiments.shown import message
from rlgpt_jax.agents.llm.base import MISSING
from rlgpt_jax.loop import events
from rlgpt_jax.loop.long_task import ChainEvaluated, SubTaskStarted, TaskPlanned

NOTABLE = 1.0  # seconds; compiling that takes less is not told afterwards
PLAIN_LINES = 5  # per iteration and bar, without a terminal


class Display:
    """A listener for the events of the loop.

    Args:
      console: where to write.
      requests_folder: where a `file` provider puts questions, to be named while it waits.
    """

    def __init__(self, console: Console, requests_folder: Path | None = None):
        self.console = console
        self._folder = requests_folder
        self._live = console.is_terminal
        self._bars = Progress(
            TextColumn("[bold]{task.description}"), BarColumn(), TextColumn("{task.fields[done]}"),
            TextColumn("{task.fields[words]}"), TimeElapsedColumn(), console=console,
        )  # fmt: skip
        self._status: TaskID | None = None
        self._phase = ""  # what goes on when nothing is being compiled
        self._training: TaskID | None = None
        self._shown = -1  # plain lines of this iteration
        self._num_iterations = 1
        self.num_refusals = 0

    def __enter__(self) -> "Display":
        if self._live:
            self._bars.start()
        return self

    def __exit__(self, *error: Any) -> None:
        if self._live:
            self._bars.stop()

    def __call__(self, event: Any) -> None:
        """Dispatches by the event's type; kinds without a method are not shown."""
        method = getattr(self, f"_on_{type(event).__name__.lower()}", None)
        if method is not None:
            method(event)

    def say(self, words: str) -> None:
        """`words` is rich's markup; text of others in it is escaped."""
        self.console.print(message(words), highlight=False, soft_wrap=True)

    def compiling(self, name: str) -> None:
        self._show_status(f"compiling {escape(name)} ...")

    def compiled(self, name: str, seconds: float) -> None:
        if seconds >= NOTABLE:
            self.say(f"[dim]  compiled {escape(name)} in {seconds:.1f} s[/dim]")
        self._show_status(self._phase)

    def phase(self, words: str) -> None:
        """What goes on from now; an empty text if a bar tells."""
        self._phase = words
        self._show_status(words)

    def worlds(self, split: str, done: int, total: int) -> None:
        """Progress of a pool of worlds that is being generated."""
        self._show_status(f"generating worlds for {split}: {done} of {total}")
        if done == total:
            self._show_status(self._phase)
            if not self._live:
                self.say(f"  worlds for {split}: {total}")

    def frames(self, folder: Path, done: int, total: int) -> None:
        """Progress of the films of a folder."""
        self.phase(f"drawing {escape(folder.name)}: frame {done} of {total}")
        if not done and not self._live:
            self.say(f"  drawing {escape(folder.name)}: {total} frames")

    def _show_status(self, words: str) -> None:
        if not self._live:
            return
        if self._status is None:
            self._status = self._bars.add_task("", total=None, done="", words="")
        self._bars.update(self._status, words=f"[dim]{words}", visible=bool(words))

    def _on_started(self, event: events.Started) -> None:
        self._num_iterations = event.num_iterations
        word = "Going on with" if event.resumed else "Starting"
        self.say(f"{word} mode {event.mode}, {event.num_iterations} iterations.")

    def _on_iterationstarted(self, event: events.IterationStarted) -> None:
        self.say(f"\n[bold]Iteration {event.iteration}[/bold] (last: {self._num_iterations - 1})")
        self._training, self._shown = None, -1

    def _on_asked(self, event: events.Asked) -> None:
        self.phase(f"{len(event.keys)} answer{'s' * (len(event.keys) != 1)} pending")
        if self._folder is None:
            return
        for key in event.keys:
            asked = key.rpartition("/")[2]
            self.say(escape(
                f"  waiting for {self._folder / key}.response.md, "
                f"the answer to {asked}.request.md beside it"
            ))  # fmt: skip

    def _on_answered(self, event: events.Answered) -> None:
        answer = event.answer
        if answer.stop == MISSING:
            self.say(f"  [yellow]{escape(event.key)} was not recorded: no answer[/yellow]")
        else:
            self.say(
                f"  [dim]{escape(event.key)}: {len(answer.text):,} characters from "
                f"{escape(answer.model)} ({answer.provider})[/dim]"
            )
        self.phase("")

    def _on_answerrefused(self, event: events.AnswerRefused) -> None:
        self.say(f"  [yellow]{escape(event.key)} cannot be used:[/yellow] {escape(event.reason)}")

    def _on_planned(self, event: events.Planned) -> None:
        parts = ", ".join(f"{s.name} [cyan]{s.kind}[/cyan]" for s in event.plan.sub_actions)
        instead = " [yellow](no answer could be used: this is done instead)[/yellow]"
        self.say(f"  plan: {parts}{instead * bool(event.plan.note)}")

    def _on_refused(self, event: events.Refused) -> None:
        self.num_refusals += 1
        first = event.reason.partition("\n")[0]
        self.say(
            f"  [yellow]refused[/yellow] {event.name}, version {event.attempt + 1}: {escape(first)}"
        )

    def _on_tried(self, event: events.Tried) -> None:
        first = event.facts.partition("\n")[0]
        self.say(f"  tried {event.name}, version {event.attempt + 1}: [dim]{escape(first)}[/dim]")
        if event.worse:
            self.say(f"    [yellow]worse, not used[/yellow]: [dim]{escape(event.worse)}[/dim]")

    def _on_judged(self, event: events.Judged) -> None:
        for name, judgement in event.judgements.items():
            colour = "green" if judgement.verdict == "ok" else "yellow"
            self.say(f"  trial critic on {name}: [{colour}]{judgement.verdict}[/{colour}]")

    def _on_kept(self, event: events.Kept) -> None:
        self.say(f"  {event.name}: [green]kept[/green] by the agent that wrote it")

    def _on_interfaceset(self, event: events.InterfaceSet) -> None:
        note = f" [yellow]({escape(event.interface.note)})[/yellow]" * bool(event.interface.note)
        words = "; ".join(line.rstrip(".") for line in event.words.splitlines())
        self.say(f"  training set-up: [dim]{escape(words)}[/dim]{note}")

    def _on_updated(self, event: events.Updated) -> None:
        self._tell_lost(int(event.metrics.get("lost", 0)), f"in update {event.update}")
        shown = {"success_rate": "success {:.0%}", "steps_per_second": "{:,.0f} steps/s"}
        told = [form.format(event.metrics[n]) for n, form in shown.items() if n in event.metrics]
        words = ", ".join(told)
        done = f"{event.iteration_ticks:,}/{event.target_ticks:,}"
        if not self._live:  # a line at the first update, at the end, and a few times between
            step = min(PLAIN_LINES, PLAIN_LINES * event.iteration_ticks // event.target_ticks)
            if step > self._shown:
                self._shown = step
                self.say(f"  training {done} ticks{', ' * bool(words)}{words}")
            return
        if self._training is None:
            self._training = self._bars.add_task(
                f"training {event.iteration}", total=event.target_ticks, done="", words=""
            )
        self._bars.update(
            self._training, completed=min(event.iteration_ticks, event.target_ticks), done=done,
            words=words,
        )  # fmt: skip

    def _tell_lost(self, number: int, words: str) -> None:
        """Episodes that ended with their workers, where there are any."""
        if number:
            plural = "s" * (number != 1)
            self.say(f"  [yellow]{number} episode{plural} lost with broken games[/yellow] {words}")

    def _on_evaluating(self, event: events.Evaluating) -> None:
        self.phase(f"evaluating {event.num_episodes} episodes")

    def _on_evaluated(self, event: events.Evaluated) -> None:
        r = event.report
        self.phase("")
        self.say(
            f"  [bold green]validation success {r.success_rate:.1%}[/bold green] "
            f"(95 %: {r.success_low:.1%} to {r.success_high:.1%}, {r.num_episodes} episodes)"
        )
        self._tell_lost(r.lost, "and played again")

    def _on_evaluatedcode(self, event: events.EvaluatedCode) -> None:
        r = event.report
        self.phase("")
        self.say(
            f"  its coded parts alone {r.success_rate:.1%} "
            f"(95 %: {r.success_low:.1%} to {r.success_high:.1%}, the same episodes)"
        )

    def _on_criticised(self, event: events.Criticised) -> None:
        self.say(f"  critic: [dim]{escape(event.critique.advice)}[/dim]")

    def _on_solved(self, event: events.Solved) -> None:
        self.say("  [green]The critic says that nothing is left to gain.[/green]")

    def _on_taskplanned(self, event: TaskPlanned) -> None:
        if event.plan.note:
            self.say(f"[yellow]{escape(event.plan.note)}[/yellow]")
        for number, sub in enumerate(event.plan.sub_tasks, start=1):
            needs = ", ".join(f"{n} {item}" for item, n in sub.needs) or "nothing"
            self.say(
                f"  {number}. {sub.name}: {sub.quantity} {sub.item} from {needs}, by "
                f"[cyan]{sub.solve}[/cyan], {sub.ticks} ticks"
            )

    def _on_subtaskstarted(self, event: SubTaskStarted) -> None:
        word = "done before" if event.is_done else event.sub_task.solve
        self.say(
            f"\n[bold]Sub-task {event.number + 1} of {event.num_sub_tasks}: "
            f"{event.sub_task.name}[/bold] ({word})"
        )

    def _on_chainevaluated(self, event: ChainEvaluated) -> None:
        r = event.report.whole
        self.phase("")
        self.say(
            f"\n[bold green]The whole task, {r.split} worlds: {r.success_rate:.1%}[/bold green] "
            f"(95 %: {r.success_low:.1%} to {r.success_high:.1%}, {r.num_episodes} episodes)"
        )
        self._tell_lost(r.lost, "and played again")
        for sub in event.report.sub_tasks:
            self.say(
                f"  {sub.name}: reached in {sub.reached_rate:.1%}, {sub.mean_ticks:.0f} ticks an "
                "episode"
            )
