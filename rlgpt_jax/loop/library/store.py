"""A library of macros on disk: accepted code with what became of it, for other tasks.

    <library>/NAME.py     the code; its macro is `def NAME(obs)`
    <library>/NAME.json   where it comes from and its record of use

Text that people can read and version. Every file is replaced as a whole, the code before
its JSON file: a macro is there once its JSON file is. Code is never replaced by other
code: that becomes NAME_2. This file reads and writes; what a run may use of a library is
decided in `offer.py`.
"""

import ast
import dataclasses
import hashlib
import io
import json
import re
import tokenize
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rlgpt_jax.agents import parse
from rlgpt_jax.agents.llm.disk import write_atomically
from rlgpt_jax.loop.record import whole_folder, write_json
from rlgpt_jax.macros.linked import split
from rlgpt_jax.macros.vm.bytecode import MAX_SOURCE

VERSION = 1
MAX_ENTRIES = 256
DOC_LENGTH = 200  # characters of the one line that prompts show


class LibraryError(ValueError):
    """A library that cannot be used; the message says which file and why."""


@dataclasses.dataclass(frozen=True)
class Entry:
    """One macro of a library."""

    name: str
    source: str
    task: str = ""  # for which it was written
    sensors: str = "paper"  # level at which it was accepted
    kind: str = "macro"  # of the plan: "code", "lead" or "macro"
    instruction: str = ""  # of the plan
    # What was measured where it was in use, one entry per run and iteration: see `record`.
    record: tuple[dict[str, Any], ...] = ()

    @property
    def doc(self) -> str:
        """One line: the first of the docstring, else the instruction."""
        node = function_of(self.source, self.name)
        text = (ast.get_docstring(node) if node else "") or self.instruction
        line = " ".join(text.split("\n\n")[0].split())
        return line if len(line) <= DOC_LENGTH else line[: DOC_LENGTH - 3].rstrip() + "..."

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.source.encode()).hexdigest()


def function_of(source: str, name: str) -> ast.FunctionDef | None:
    """The function of that name at the top of a text; None if there is none."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    found = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name]
    return found[0] if found else None


# --- reading -----------------------------------------------------------------------
def load(folder: Path) -> tuple[Entry, ...]:
    """Reads a library, by name. Nothing is compiled.

    Raises:
      LibraryError: one error that lists everything that is wrong.
    """
    if not folder.is_dir():
        raise LibraryError(
            f"{folder}: there is no such folder. Save macros to it first: python "
            "-m experiments.macro library save RUN DIR"
        )
    entries, wrong = [], []
    paths = sorted(folder.glob("*.json"))
    for path in paths:
        try:
            entries.append(read_entry(path))
        except LibraryError as error:
            wrong.append(str(error))
    if len(paths) > MAX_ENTRIES:
        wrong.append(f"{folder}: {len(paths)} macros, at most {MAX_ENTRIES} are allowed")
    if wrong:
        raise LibraryError("; ".join(wrong))
    return tuple(entries)


def read_entry(path: Path) -> Entry:
    """Reads NAME.json and NAME.py beside it."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        with path.with_suffix(".py").open(encoding="utf-8", newline="") as file:
            source = file.read(MAX_SOURCE + 1)
    except FileNotFoundError:
        raise LibraryError(f"{path}: there is no {path.stem}.py beside it") from None
    except (OSError, ValueError, RecursionError) as error:
        raise LibraryError(f"{path}: cannot be read: {str(error)[:100]}") from None
    if len(source) > MAX_SOURCE:
        raise LibraryError(f"{path.with_suffix('.py')}: longer than {MAX_SOURCE} characters")
    fields = {field.name: field for field in dataclasses.fields(Entry)}
    if not isinstance(data, dict) or data.get("version") != VERSION:
        raise LibraryError(f'{path}: needs "version": {VERSION}; written by another version?')
    wanted = {*fields, "version", "sha256"} - {"source"}
    if set(data) != wanted:
        raise LibraryError(
            f"{path}: fields {', '.join(sorted(wanted ^ set(data)))} are missing or unknown"
        )
    texts = [n for n in wanted - {"version", "record"} if not isinstance(data[n], str)]
    if texts or not isinstance(data["record"], list):
        raise LibraryError(f"{path}: {', '.join(texts) or 'record'} has the wrong kind of value")
    if not all(isinstance(row, dict) for row in data["record"]):
        raise LibraryError(f"{path}: record holds what is no object")
    values = {name: data[name] for name in fields if name != "source"}
    entry = Entry(source=source, **values | {"record": tuple(data["record"])})
    if entry.name != path.stem or not parse.is_name(entry.name):
        raise LibraryError(f"{path}: holds the name {entry.name!r}; file and name must agree")
    if data["sha256"] != entry.sha256:
        raise LibraryError(
            f"{path.with_suffix('.py')}: is not the code that its record belongs to. Add the new "
            "code as a macro of its own: python -m experiments.macro library add DIR FILE"
        )
    if function_of(source, entry.name) is None:
        raise LibraryError(f"{path.with_suffix('.py')}: holds no function {entry.name}")
    return entry


def unfinished(folder: Path) -> list[str]:
    """Code without its JSON file, as a kill between the two leaves it."""
    return sorted(p.name for p in folder.glob("*.py") if not p.with_suffix(".json").exists())


# --- writing -----------------------------------------------------------------------
def write(folder: Path, entry: Entry) -> None:
    """Writes one macro; code under that name must be the same or absent."""
    path = folder / f"{entry.name}.py"
    write_atomically(path, entry.source)
    data = {"version": VERSION, **dataclasses.asdict(entry), "sha256": entry.sha256}
    del data["source"]
    write_json(path.with_suffix(".json"), data)


def add(folder: Path, entries: Iterable[Entry]) -> list[tuple[str, str]]:
    """Adds macros in order. Returns (the name it had, the name it got), each pair once.

    Code that is there already only gets the new rows of its record. A name that is taken
    by other code gets a number, in this macro and in the later ones that call it; what a macro was
    linked with stays its own.
    """
    taken = {entry.name: entry for entry in load(folder)} if folder.is_dir() else {}
    names: dict[str, str] = {}
    pairs: dict[tuple[str, str], None] = {}
    for entry in entries:
        own = {entry.name, *split(entry.source)[1]}
        called = {old: new for old, new in names.items() if old != new and old not in own}
        entry = dataclasses.replace(entry, source=renamed(entry.source, called))
        placed = place(entry, taken)
        names[entry.name] = placed.name
        pairs[entry.name, placed.name] = None
        if placed != taken.get(placed.name):
            write(folder, placed)
            taken[placed.name] = placed
    return list(pairs)


def copy(entries: Iterable[Entry], folder: Path) -> None:
    """Writes macros into a new folder, which is there as a whole or not at all."""
    with whole_folder(folder) as part:
        for entry in entries:
            write(part, entry)


def place(entry: Entry, taken: dict[str, Entry]) -> Entry:
    """The macro under the first name that is free or holds the same code."""
    number = 1
    while True:
        name = entry.name if number == 1 else f"{entry.name[:36]}_{number}"
        source = renamed(entry.source, {entry.name: name})
        is_used = number > 1 and re.search(rf"\b{name}\b", entry.source)
        if name not in taken and not is_used:
            return dataclasses.replace(entry, name=name, source=source)
        if name in taken and taken[name].source == source:
            old = taken[name]
            return dataclasses.replace(old, record=joined(old.record, entry.record))
        number += 1


def joined(
    old: tuple[dict[str, Any], ...], new: tuple[dict[str, Any], ...]
) -> tuple[dict[str, Any], ...]:
    """Both records; a row of the same run and iteration is replaced."""

    def key(row: dict[str, Any]) -> tuple[Any, Any, Any]:
        return row.get("run"), row.get("started"), row.get("iteration")

    replaced = {key(row) for row in new}
    return (*(row for row in old if key(row) not in replaced), *new)


def renamed(source: str, names: dict[str, str]) -> str:
    """The text with other names for functions; attributes and texts stay.

    Names of the macro language are plain, so tokens are enough; comments are kept.
    """
    names = {old: new for old, new in names.items() if old != new}
    if not names:
        return source
    lines = io.StringIO(source).readlines()
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    changes = [
        token for before, token in zip([None, *tokens], tokens, strict=False)
        if token.type == tokenize.NAME and token.string in names
        and not (before is not None and before.string == ".")
    ]  # fmt: skip
    for token in reversed(changes):
        (row, begin), (_, end) = token.start, token.end
        line = lines[row - 1]
        lines[row - 1] = line[:begin] + names[token.string] + line[end:]
    return "".join(lines)
