"""`match` becomes a chain of `if`: constants, names, alternatives and guards."""

import ast

from rlgpt_jax.macros.refusal import Refused


def as_ifs(node: ast.Match) -> list[ast.stmt]:
    """Returns the statements that a `match` is in plainer terms."""
    made: list[ast.stmt] = []
    subject = node.subject
    if not isinstance(subject, ast.Name):
        name = f"subject of line {node.lineno}"  # names with a space are ours
        made = [ast.Assign([ast.Name(name, ast.Store())], subject)]
        subject = ast.Name(name, ast.Load())
    chain: list[ast.stmt] = []
    for case in reversed(node.cases):
        names: list[str] = []
        tests = [
            test_of(case.pattern, subject, names),
            case.guard and renamed(case.guard, names, subject),
        ]
        given = [ast.Assign([ast.Name(name, ast.Store())], subject) for name in names]
        body = [*given, *case.body]
        found = [test for test in tests if test is not None]
        if found:
            test = found[0] if len(found) == 1 else ast.BoolOp(ast.And(), found)
            chain = [ast.copy_location(ast.If(test, body, chain), case.pattern)]
        else:
            chain = body
    for part in (part for statement in [*made, *chain] for part in ast.walk(statement)):
        if "lineno" in part._attributes and not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    return [*made, *chain]


def renamed(guard: ast.expr, names: list[str], subject: ast.Name) -> ast.expr:
    """Returns a guard that reads the subject where it reads what the pattern names."""
    for part in ast.walk(guard):
        if isinstance(part, ast.Name) and part.id in names:
            part.id = subject.id
    return guard


def test_of(pattern: ast.pattern, subject: ast.Name, names: list[str]) -> ast.expr | None:
    """Returns the test of a pattern, None if all fits; adds what it names to `names`."""
    if isinstance(pattern, ast.MatchValue | ast.MatchSingleton):
        value = pattern.value
        wanted = value if isinstance(value, ast.expr) else ast.Constant(value)
        return ast.copy_location(ast.Compare(subject, [ast.Eq()], [wanted]), pattern)
    if isinstance(pattern, ast.MatchOr):
        tests = [test_of(part, subject, names) for part in pattern.patterns]
        known = [test for test in tests if test is not None]
        return ast.BoolOp(ast.Or(), known) if len(known) == len(tests) else None
    if isinstance(pattern, ast.MatchAs):
        if pattern.name is not None:
            names.append(pattern.name)
        return test_of(pattern.pattern, subject, names) if pattern.pattern else None
    raise Refused(
        pattern,
        "this pattern is not part of the language",
        "use constants, names, | and _, or if/elif",
    )
