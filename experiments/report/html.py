"""Small pieces of HTML. All text from outside passes through `text` before it is joined."""

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def text(value: object) -> str:
    """Escapes what will stand between tags or in an attribute."""
    return html.escape(str(value), quote=True)


def tag(name: str, inner: str, **attributes: str) -> str:
    """`<name ...>inner</name>`; `inner` is HTML, attribute values are text.

    A trailing underscore of an attribute name is dropped (`class_`), others become
    hyphens (`aria_label`).
    """
    words = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(value)}"' for key, value in attributes.items()
    )
    return f"<{name}{words}>{inner}</{name}>"


def paragraphs(words: str) -> str:
    """Plain text with blank lines between paragraphs; line breaks inside are kept."""
    blocks = [block.strip() for block in words.split("\n\n") if block.strip()]
    return "".join(tag("p", text(block).replace("\n", "<br>")) for block in blocks)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "") -> str:
    """A table whose cells are HTML; it scrolls sideways on a narrow screen."""
    top = tag("tr", "".join(tag("th", text(cell), scope="col") for cell in head))
    body = "".join(
        tag("tr", tag("th", row[0], scope="row") + "".join(tag("td", c) for c in row[1:]))
        for row in rows
    )
    inner = (tag("caption", text(caption)) if caption else "") + tag("thead", top)
    return scroll(tag("table", inner + tag("tbody", body)), caption or head[0])


def scroll(inner: str, label: str, kind: str = "scroll") -> str:
    """A part that scrolls sideways, also with the keyboard."""
    return tag("div", inner, class_=kind, tabindex="0", role="region", aria_label=label)


def details(summary: str, inner: str, is_open: bool = False) -> str:
    """A part that opens on a click; `summary` and `inner` are HTML."""
    mark = " open" if is_open else ""
    return f"<details{mark}><summary>{summary}</summary><div>{inner}</div></details>"


def section(anchor: str, title: str, inner: str) -> str:
    head = tag("h2", text(title), id=f"{anchor}-title")
    return tag("section", head + inner, id=anchor, aria_labelledby=f"{anchor}-title")


def chip(words: str, kind: str) -> str:
    """A short coloured word; `kind` chooses the colour in style.css."""
    return tag("span", text(words), class_=f"chip {kind}")


def document(title: str, style: str, top: str, main: str, end: str) -> str:
    """A whole page: `style` is HTML of its head, `end` follows what is seen."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><title>{text(title)}</title>{style}</head><body>'
        f'<header class="top"><div>{top}</div></header><main>{main}</main>{end}</body></html>\n'
    )


def percent(rate: float) -> str:
    return f"{100 * rate:.1f}\u00a0%"  # no line break before the sign


def interval(rate: float, low: float, high: float) -> str:
    """`62.0 % (55.1–68.5)`, HTML."""
    return f'{percent(rate)} <span class="quiet">({100 * low:.1f}–{100 * high:.1f})</span>'


def rate(values: Mapping[str, Any] | None, kind: str = "success", none: str = "–") -> str:
    """The rate of an evaluation with its interval, HTML; `none` where it was not measured."""
    if not values or f"{kind}_rate" not in values:
        return none
    return interval(*(values[f"{kind}_{part}"] for part in ("rate", "low", "high")))


def episodes(successes: int, num: int, lost: int) -> str:
    """`12 / 40`, and how many more were lost with their workers, HTML."""
    more = f' <span class="quiet">(and {lost} lost)</span>' if lost else ""
    return f"{successes} / {num}{more}"


def duration(seconds: float) -> str:
    """`7 min 12 s`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"


def card(inner: str) -> str:
    """A part on a ground of its own."""
    return tag("div", inner, class_="card")


def legend(entries: Iterable[tuple[str, str]], label: str) -> str:
    """What colours stand for; `entries` are (kind, words)."""
    items = "".join(f'<li><i class="{kind}"></i>{text(words)}</li>' for kind, words in entries)
    return tag("ul", items, class_="legend", aria_label=label)


def reasons(saved: Mapping[str, Any], title: str) -> str:
    """How an agent reasoned, on a click; "" if it did not say."""
    words = saved.get("reasoning")
    return details(title, paragraphs(words)) if words else ""


def notes(saved: Mapping[str, Any], *entries: tuple[str, str, str]) -> str:
    """A note for each of the entries (field, who, kind) whose field holds words."""
    return "".join(note(who, saved[name], kind) for name, who, kind in entries if saved.get(name))


def note(who: str, words: str, kind: str) -> str:
    """Words of an agent or a check, set off by a coloured edge; text is escaped here."""
    name = tag("span", text(who), class_="who") if who else ""
    return tag("div", name + paragraphs(words), class_=f"note {kind}")
