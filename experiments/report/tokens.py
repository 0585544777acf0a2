"""The part of a report about tokens: what every agent read, wrote and cost."""

from collections.abc import Mapping

from experiments.report import html
from experiments.report.html import tag, text
from experiments.report.load import Run
from experiments.transcript.cost import FIGURES, notes
from rlgpt_jax.agents.llm.tokens import Cell, agents, cells, rows, total


def tokens(run: Run) -> str:
    """One group of rows per iteration, one column per agent."""
    if not run.transcript:
        return ""
    chosen = cells(run.transcript)
    names = agents(chosen)
    head = "".join(tag("th", text(name), scope="col") for name in (*names, "total"))
    body = "".join(_group(row.name, row.cells, names) for row in rows(chosen))
    if len(rows(chosen)) > 1:
        summed = {a: total([c for c in chosen if c.agent == a]) for a in names}
        body += _group("total", summed, names)
    top = tag("thead", tag("tr", "<td></td>" + head))
    label = "Tokens per iteration and agent"
    table = html.scroll(tag("table", top + body, class_="figures"), label)
    how = f"python -m experiments.transcript cost {run.folder} --model=NAME"
    words = " ".join(notes(run.transcript, chosen, how=how))
    inner = table + (tag("p", text(words), class_="quiet") if words else "")
    return html.section("tokens", "Tokens per iteration", html.card(inner))


def _group(name: str, here: Mapping[str, Cell], names: list[str]) -> str:
    """The figures of one iteration, one below the other."""
    summed = total(list(here.values()))
    span = str(len(names) + 2)
    lines = [tag("tr", tag("th", text(name.capitalize()), scope="rowgroup", colspan=span))]
    for figure, words in FIGURES.items():
        columns = [words(here[a]) if a in here else "" for a in names] + [words(summed)]
        shown = "".join(tag("td", text(column)) for column in columns)
        lines.append(tag("tr", tag("th", text(figure), scope="row") + shown))
    return tag("tbody", "".join(lines))
