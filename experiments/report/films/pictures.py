"""The part of an iteration that is seen: a typical success and failure, and what keys met."""

from typing import Any

from experiments.report import html
from experiments.report.films.media import Media
from experiments.report.html import tag, text
from experiments.report.load import Iteration

NAMES = {"success": "A typical success", "failure": "A typical failure"}
PARTS = {"before": "Start", "after": "End"}
LEAD = (
    "From this evaluation: the quickest success, and the failure that pressed use and attack most "
    "without gaining an item. The cross in the middle is the crosshair: use and attack act on "
    "what is under it, if that is in reach. {who}"
)
SEEN = "The critic was shown these pictures; its words follow."
UNSEEN = "No critic has been shown them."
MAX_PLACES = 6  # rows per key in the table of presses


def pictures_of(it: Iteration, media: Media) -> str:
    """Frames and strips of both episodes; "" if none were drawn."""
    if not it.frames:
        return ""
    lead = LEAD.format(who=SEEN if it.critique else UNSEEN)
    inner = tag("h3", "What it looked like", class_="later") + tag("p", text(lead))
    return inner + "".join(_episode(entry, it, media) for entry in it.frames["episodes"])


def _episode(entry: dict[str, Any], it: Iteration, media: Media) -> str:
    name = NAMES.get(entry["which"], entry["which"])
    if "ticks" not in entry:
        return tag("p", text(entry["note"]), class_="quiet")
    kind, word = ("good", "success") if entry["success"] else ("bad", "failed")
    chips = html.chip(word, kind) + (html.chip("dead loop", "warn") if entry["dead_loop"] else "")
    ticks = tag("span", text(f"after {entry['ticks']} ticks"), class_="quiet")
    inner = tag("h4", f"{text(name)} {chips} {ticks}", class_="episode")
    inner += html.notes(entry, ("note", "", "warn"))
    singles, has_strip = "", False
    for picture in entry["pictures"]:
        path = it.folder / "frames" / picture["file"]
        source = media.source(path)
        part = path.stem.removeprefix(f"{entry['which']}_")
        if part in PARTS:
            words = f"{PARTS[part]} of the {entry['which']} episode"
            caption = tag("figcaption", text(PARTS[part]))
            singles += tag("figure", _image(source, words) + caption)
        else:
            inner += _strip(source, entry["moments"])
            has_strip = True
    pair = tag("div", singles, class_="pair") if singles else ""
    # A strip shows start and end already.
    return inner + (html.details("Start and end, larger", pair) if has_strip else pair)


def _strip(source: str, moments: list[dict[str, Any]]) -> str:
    """Moments side by side; on a narrow screen the picture scrolls sideways."""
    head = ("Tick", "Why this one", "What it does", "Under the crosshair", "Since the one before")
    rows = [
        [
            str(m["tick"]), text(m["why"]), text(m["does"]),
            html.chip("in reach", "good") * m["in_reach"] + " "
            + text(m["crosshair"].removesuffix(", in reach")),
            text(m["changed"]),
        ]
        for m in moments
    ]  # fmt: skip
    words = f"{len(moments)} moments of the episode, from left to right; the table tells the same"
    strip = tag("figure", html.scroll(_image(source, words), words, "strip"))
    return strip + html.details("The same in words", html.table(head, rows))


def _image(source: str, words: str) -> str:
    return f'<img src="{source}" alt="{text(words)}" loading="lazy">'


def presses_of(evaluation: dict[str, Any]) -> str:
    """What use and attack were pressed on, over all episodes; "" if that was not counted."""
    parts = ""
    for key, counts in evaluation.get("presses", {}).items():
        total = sum(counts.values())
        shown = list(counts.items())[:MAX_PLACES]
        rest = total - sum(count for _, count in shown)
        shown += [("other things", rest)] * (rest > 0)
        rows = [_press(where, count / total) for where, count in shown]
        caption = f"{key}: pressed in {total:,} ticks, with the crosshair on"
        parts += tag("div", html.table(("", "", "Share"), rows, caption), class_="press")
    if not parts:
        return ""
    return tag("h4", "What use and attack were pressed on") + tag("div", parts, class_="pair")


def _press(where: str, share: float) -> list[str]:
    kind = "" if where.endswith(" in reach") else "none"
    bar = f'<span class="bar"><i class="{kind}" style="width:{100 * share:.1f}%"></i></span>'
    return [text(where), bar, html.percent(share)]
