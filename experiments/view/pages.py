"""Pages of the viewer: the list of runs, one run while it goes on, runs side by side."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from experiments.config_tree import different
from experiments.report import html
from experiments.report.html import tag, text
from experiments.view import runs
from experiments.view.runs import Found

KINDS = {runs.RUNNING: "info", runs.FINISHED: "good", runs.STOPPED: "warn"}
CHARTS = {
    "success": "Success of the lanes' last training episodes, and of evaluations",
    "return": "Return of training episodes",
    "entropy": "Entropy of the policy (nats)",
    "speed": "Environment steps per second",
}


def page(title: str, body: str, data: Any = None) -> str:
    """A whole page; `data` is for its script."""
    told = json.dumps(data).replace("<", "\\u003c")
    home = tag("nav", tag("a", "All runs", href="/"), aria_label="Pages")
    return html.document(
        f"{title} · RL-GPT runs", '<link rel="stylesheet" href="/style.css">',
        tag("p", "RL-GPT runs", class_="kicker") + tag("h1", text(title)) + home, body,
        f'<script type="application/json" id="data">{told}</script>'
        '<script src="/plotly.js"></script><script src="/view.js"></script>',
    )  # fmt: skip


def overview(root: str, found: Sequence[dict[str, Any]], damaged: Mapping[str, str]) -> str:
    """The list, newest first, with boxes to choose what is compared."""
    order = sorted(found, key=lambda s: (s["status"] != runs.RUNNING, s["name"]))
    order.sort(key=lambda s: s["started"], reverse=True)
    head = ("Run", "State", "Success (95 %)", "Code alone", "Seed", "Trained on", "Started")
    rows = [_row(s) for s in order]
    inner = html.table(head, rows) if rows else tag("p", "No run lies here yet.")
    notes = "".join(html.note(name, words, "bad") for name, words in damaged.items())
    button = tag("button", "Compare the chosen runs", type="submit") if len(rows) > 1 else ""
    form = tag("form", button + html.card(inner), action="/compare", method="get")
    return page(root, tag("section", form + notes), {"page": "list"})


def _row(s: dict[str, Any]) -> list[str]:
    name = text(s["name"])
    box = f'<input type="checkbox" name="run" value="{s["key"]}" aria-label="compare {name}"> '
    link = tag("a", name, href=f"/run/{s['key']}/")
    about = tag("span", text(", ".join(x for x in (s["mode"], s["sight"]) if x)), class_="quiet")
    return [
        f"{box}{link}<br>{about}", tag("span", state(s), data_live=s["key"]),
        rate(s["success"]), rate(s["code"]), str(s["seed"]), f"{s['ticks']:,}",
        text(s["started"].replace("T", " ").removesuffix("+00:00")),
    ]  # fmt: skip


def state(s: dict[str, Any], phase: bool = True) -> str:
    """Whether a run goes on, and unless the page tells it elsewhere, how far it is."""
    smoke = " " + html.chip("smoke", "bad") if s["smoke"] else ""
    words = f'<br><span class="quiet">{text(told(s))}</span>' * (s["status"] == runs.RUNNING)
    return html.chip(s["status"], KINDS[s["status"]]) + smoke + words * phase


def told(s: dict[str, Any]) -> str:
    """How far a run is, in words."""
    of = f" of {s['target']:,}" if s["target"] else ""
    return f"iteration {s['iteration']}, {s['phase']}, {s['ticks']:,}{of} ticks"


def rate(values: list[float] | None) -> str:
    return html.interval(*values) if values else "–"


def of_run(run: Found) -> str:
    """One run, which `view.js` keeps up to date while it goes on."""
    now = runs.live(run)
    bar = tag("progress", "", max=str(max(now["target"], 1)), value=str(now["ticks"]),
              id="progress", aria_label="Ticks of training")  # fmt: skip
    words = tag("p", state(now, phase=False), id="state") + tag("p", text(told(now)), id="told")
    links = tag("a", "Report", href="report.html")
    top = html.card(words + bar + tag("p", links) + tag("div", evaluations(now), id="evals"))
    return page(run.name, tag("section", top + _charts()), {"page": "run", "runs": [now]})


def evaluations(now: dict[str, Any]) -> str:
    rows = [[str(e["iteration"]), rate(e["success"]), rate(e["code"]), str(e["episodes"])]
            for e in now["evaluations"]]  # fmt: skip
    if now["success"]:
        rows.append(["held-out", rate(now["success"]), rate(now["code"]), ""])
    head = ("Iteration", "Success (95 %)", "Code alone", "Episodes")
    return html.table(head, rows) if rows else tag("p", "No iteration has been evaluated yet.")


def _charts() -> str:
    cards = (
        html.card(tag("h3", text(title)) + tag("div", "", id=f"chart-{name}", class_="plot"))
        for name, title in CHARTS.items()
    )
    return tag("div", "".join(cards), class_="grid2")


def compared(found: Sequence[Found]) -> str:
    """Runs side by side: results, curves, and the settings in which they differ."""
    told = [runs.live(run) for run in found]
    head = ("", *(s["name"] for s in told))
    rows = [
        ["State", *(state(s) for s in told)],
        ["Held-out success (95 %)", *(rate(s["success"]) for s in told)],
        ["Code alone", *(rate(s["code"]) for s in told)],
        ["Validation, by iteration", *(_validation(s) for s in told)],
        ["Trained on, ticks", *(f"{s['ticks']:,}" for s in told)],
        ["Wall time", *(html.duration(s["wall"]) if s["wall"] else "–" for s in told)],
        ["Page", *(tag("a", "run", href=f"/run/{s['key']}/") + ", "
                   + tag("a", "report", href=f"/run/{s['key']}/report.html") for s in told)],
    ]  # fmt: skip
    results = html.card(html.table(head, rows))
    values = [runs.settings(run) for run in found]
    names = different(values)
    differ = [[tag("code", text(n)), *(text(v.get(n, "–")) for v in values)] for n in names]
    title = tag("h2", "Settings that differ")
    shown = html.card(html.table(head, differ) if differ else tag("p", "None."))
    body = tag("section", results + _charts()) + tag("section", title + shown)
    return page(f"{len(found)} runs", body, {"page": "compare", "runs": told})


def _validation(s: dict[str, Any]) -> str:
    return ", ".join(f"{100 * e['success'][0]:.1f}" for e in s["evaluations"]) or "–"
