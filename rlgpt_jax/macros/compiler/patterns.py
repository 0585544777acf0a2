"""`match` statements: constants, names, alternatives, rows of these, and guards."""

import ast

from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler import assignments
from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc

Subject = int | list  # an operand, or the subjects of a tuple that is not made


def match_(f: Code, node: ast.Match) -> bool:
    """Compiles a match statement. Returns whether the next one can be reached."""
    subject = subject_of(f, node.subject)
    floor, f.floor = f.floor, f.top
    done = Label()
    before = set(f.assigned)
    ends: list[set[str]] = []  # names assigned at the ends that go on
    falls = True  # whether no case may fit
    for case in node.cases:
        other = Label()
        f.assigned = set(before)
        f.top = f.floor
        f.at(case.pattern)
        fits(f, case.pattern, subject, other)
        if case.guard is not None:
            f.jump_if(case.guard, other, False)
        if f.block(case.body):
            ends.append(set(f.assigned))
            f.emit(bc.JUMP, done)
        f.place(other)
        if case.guard is None and always_fits(case.pattern):
            falls = False
    f.place(done)
    f.floor = floor
    if falls:
        ends.append(before)
    f.assigned = set.intersection(*ends) if ends else before
    return bool(ends)


def subject_of(f: Code, node: ast.expr) -> Subject:
    """Compiles what is matched; a tuple display is not made."""
    if isinstance(node, ast.Tuple) and not any(isinstance(e, ast.Starred) for e in node.elts):
        return [subject_of(f, item) for item in node.elts]
    return f.kept(node)


def always_fits(pattern: ast.pattern) -> bool:
    if isinstance(pattern, ast.MatchOr):
        return any(always_fits(part) for part in pattern.patterns)
    return isinstance(pattern, ast.MatchAs) and (
        pattern.pattern is None or always_fits(pattern.pattern)
    )


def fits(f: Code, pattern: ast.pattern, subject: Subject, other: Label) -> None:
    """Compiles a jump to `other` unless the subject fits the pattern."""
    if isinstance(pattern, ast.MatchValue):
        f.emit(bc.JNE, whole(f, subject), f.value(pattern.value), other)
    elif isinstance(pattern, ast.MatchSingleton):
        f.emit(bc.JNE, whole(f, subject), f.constant(pattern.value), other)
    elif isinstance(pattern, ast.MatchAs):
        if pattern.pattern is not None:
            fits(f, pattern.pattern, subject, other)
        if pattern.name is not None:
            name = ast.copy_location(ast.Name(pattern.name, ast.Store()), pattern)
            assignments.assign_name(f, name, whole(f, subject))
    elif isinstance(pattern, ast.MatchOr):
        found = Label()
        for part in pattern.patterns[:-1]:
            following = Label()
            fits(f, part, subject, following)
            f.emit(bc.JUMP, found)
            f.place(following)
        fits(f, pattern.patterns[-1], subject, other)
        f.place(found)
    elif isinstance(pattern, ast.MatchSequence):
        row(f, pattern, subject, other)
    else:
        raise Refused(
            pattern,
            "this pattern is not part of the language",
            "use constants, names, |, _ and rows of these, or if/elif",
        )


def row(f: Code, pattern: ast.MatchSequence, subject: Subject, other: Label) -> None:
    """Compiles the patterns of a row of a fixed length."""
    if any(isinstance(part, ast.MatchStar) for part in pattern.patterns):
        raise Refused(
            pattern,
            "* in a pattern is not part of the language",
            "match rows of a fixed length, or use if/elif",
        )
    count = len(pattern.patterns)
    if isinstance(subject, int):
        length, is_row = f.temp(), Label()
        f.emit(bc.JTAG, subject, values.T_TUPLE, is_row)
        f.emit(bc.JTAG, subject, values.T_LIST, is_row)
        f.emit(bc.JUMP, other)
        f.place(is_row)
        f.emit(bc.LEN, length, subject)
        f.emit(bc.JNE, length, f.constant(float(count)), other)
        parts: list[Subject] = []
        for i in range(count):
            register = f.temp()
            f.emit(bc.INDEX, register, subject, f.constant(float(i)))
            parts.append(register)
    elif len(subject) != count:
        f.emit(bc.JUMP, other)
        return
    else:
        parts = subject
    for part, item in zip(pattern.patterns, parts, strict=True):
        fits(f, part, item, other)


def whole(f: Code, subject: Subject) -> int:
    """Returns the operand of a subject; makes the tuple if it was not made."""
    if isinstance(subject, int):
        return subject
    return f.sequence(values.T_TUPLE, [whole(f, part) for part in subject], None)
