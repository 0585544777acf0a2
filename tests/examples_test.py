"""The examples of docs/gym.md and the notebook run as they stand, each as a program of its own."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = dict(
    re.findall(r"<!-- example: (\w+) -->\n```python\n(.*?)```", (ROOT / "docs/gym.md").read_text(),
               re.S)
)  # fmt: skip
CELLS = json.loads((ROOT / "docs/quickstart.ipynb").read_text())["cells"]
NOTEBOOK = "\n".join("".join(cell["source"]) for cell in CELLS if cell["cell_type"] == "code")


def said_by(program: str, folder: Path) -> str:
    """What a program prints that is started from another folder."""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_the_page_has_the_examples_and_they_are_short() -> None:
    assert list(EXAMPLES) == ["jax", "gymnasium", "sb3"]
    assert all(len(re.findall(r"^.*\S", text, re.M)) <= 16 for text in EXAMPLES.values())
    for text in (*EXAMPLES.values(), NOTEBOOK):
        compile(text, "example", "exec")


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_run(name: str, tmp_path: Path) -> None:
    if name == "sb3" and importlib.util.find_spec("stable_baselines3") is None:
        pytest.skip("pip install stable-baselines3, which needs PyTorch")
    words = {"jax": r"^\d+\.0$", "gymnasium": "'success': ", "sb3": "'attack'.*total_timesteps"}
    assert re.search(words[name], said_by(EXAMPLES[name], tmp_path), re.S | re.M)


@pytest.mark.slow
def test_the_notebook_runs(tmp_path: Path) -> None:
    said = said_by(NOTEBOOK, tmp_path)
    assert said.startswith("63\n") and "instructions" in said and "import" in said
