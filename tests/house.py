"""What the house measures: `python tests/house.py [ROOT]` prints it as Markdown."""

import ast
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from scipy.sparse import csgraph

LONG_FILE, LONG_FUNCTION, MANY_PARAMETERS = 300, 60, 8


def main(root: Path) -> None:
    files = [p for top in ("rlgpt_jax", "experiments") for p in sorted((root / top).rglob("*.py"))]
    texts = {path.relative_to(root): path.read_text() for path in files}
    lines = {path: text.count("\n") for path, text in texts.items()}
    packages: Counter[str] = Counter()
    for path, count in lines.items():
        packages["/".join(path.parts[: 2 if path.parts[0] == "rlgpt_jax" else 1])] += count
    tests = (path.relative_to(root) for path in (root / "tests").rglob("*.py"))
    folders = Counter(path.parent for path in (*lines, *tests))
    trees = {path: ast.parse(text) for path, text in texts.items()}
    defs = [node for tree in trees.values() for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]  # fmt: skip
    rows = [
        ("lines, files", f"{sum(lines.values()):,}, {len(lines)}"),
        *((name, f"{n:,} lines") for name, n in sorted(packages.items()) if "." not in name),
        ("largest folders", ", ".join(f"{path} {n}" for path, n in folders.most_common(3))),
        (f"files over {LONG_FILE} lines", sum(n > LONG_FILE for n in lines.values())),
        (f"functions over {LONG_FUNCTION} lines", sum(_length(d) > LONG_FUNCTION for d in defs)),
        (f"more than {MANY_PARAMETERS} parameters",
         sum(len(d.args.args) + len(d.args.kwonlyargs) > MANY_PARAMETERS for d in defs)),
        ("import circles, in files", ", ".join(map(str, _circles(trees))) or "none"),
        ("`# fmt: skip`", sum(text.count("# fmt: skip") for text in texts.values())),
    ]  # fmt: skip
    print("| | |\n|---|---|")
    for name, value in rows:
        print(f"| {name} | {value} |")


def _length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _circles(trees: dict[Path, ast.Module]) -> list[int]:
    """Sizes of the groups of files that import each other when they are loaded."""
    names = [".".join(path.with_suffix("").parts) for path in trees]
    number = {name: index for index, name in enumerate(names)}
    graph = np.zeros((len(names), len(names)), bool)
    for index, tree in enumerate(trees.values()):
        for node in tree.body:
            if isinstance(node, ast.ImportFrom):
                base = node.module or ""
                asked = [base, *(f"{base}.{alias.name}" for alias in node.names)]
                graph[index, [number[name] for name in asked if name in number]] = True
    _, group = csgraph.connected_components(graph, connection="strong")
    return sorted((int(size) for size in np.bincount(group) if size > 1), reverse=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1])
