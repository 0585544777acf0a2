"""The benchmark of macros: what it plays, its rows, and that new macros compile nothing."""

import argparse
import json
from pathlib import Path

import numpy as np
import pytest

from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.sensors import VIEW_SIZE
from rlgpt_jax.macros.vm.bytecode import Program, link
from rlgpt_jax.macros.vm.host import interpret_host
from tests.envs.voxel import worlds
from tests.macros.bench import __main__ as bench
from tests.macros.bench import workload

pytestmark = pytest.mark.slow  # a benchmark of ours

LANES, TICKS = worlds.HOST_LANES, 12


def options(*flags: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    bench.add_arguments(parser)
    return parser.parse_args(list(flags))


@pytest.fixture(scope="module")
def world() -> HostVoxel:
    return worlds.with_a_cow()


def test_wrong_options_are_explained() -> None:
    for flags, words in (
        (("--lanes=4,x",), "needs whole numbers with commas"),
        (("--parts=sped",), "there is no 'sped'"),
    ):
        with pytest.raises(ValueError, match=words):
            bench.lists_of(options(*flags))


def test_recorded_answers_and_macros_with_rays_are_played(world: HostVoxel) -> None:
    sets = workload.program_sets()
    recorded = {"answers harvest_log", "answers harvest_milk", "answers harvest_wool"}
    assert {*recorded, "rays"} <= set(sets)
    assert all(sets.values()) and len(sets["answers harvest_milk"]) >= 3
    work = workload.record("rays", sets["rays"], world, TICKS)
    assert work.instructions() > 800
    more = work.with_lanes(2 * LANES).first(5)
    assert more.chosen.shape == (5, 2 * LANES) and more.views.shape[:2] == (5, 2 * LANES)
    assert more.instructions() == work.first(5).instructions()
    assert len(np.unique(work.action.reshape(-1, 8), axis=0)) > 2


def test_counted_instructions_are_those_of_the_program() -> None:
    source = "def wait(obs):\n    while True:\n        obs = yield noop()\n"
    program = parse_macro(source)
    assert isinstance(program, Program)
    state, view = interpret_host.init_state(2), np.zeros((2, VIEW_SIZE), np.float32)
    chosen, never = np.array([1, 0], np.int32), np.zeros(2, bool)
    counts = []
    for _ in range(3):
        state, out = interpret_host.tick(link([program]), state, view, chosen, never)
        counts.append(out.steps.tolist())
    # The argument, the call of the macro, the yield; then a jump and a yield.
    assert counts == [[3, 0], [2, 0], [2, 0]]


def test_the_benchmark_writes_its_rows_and_compiles_nothing(
    world: HostVoxel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bench, "world_maker", lambda config: lambda lanes: world)
    monkeypatch.setattr(workload, "TICKS", TICKS)
    given = options(
        f"--lanes={LANES},{2 * LANES}", "--parts=speed,replace", "--seconds=0.01",
        f"--out={tmp_path}",
    )  # fmt: skip
    assert bench.run(given) == 0
    written = json.loads((tmp_path / "macros.json").read_text())
    assert written["machine"]["device"] and written["threads"] >= 1
    speeds = [row for row in written["rows"] if row["part"] == "speed"]
    assert {(row["name"], row["lanes"]) for row in speeds} == {
        (name, lanes) for name in workload.program_sets() for lanes in (4, 8)
    }
    for row in speeds:
        product = row["instructions_per_lane_tick"] * row["nanoseconds_per_instruction"]
        assert product == pytest.approx(1000 * row["microseconds_per_lane_tick"])
    (replaced,) = [row for row in written["rows"] if row["part"] == "replace"]
    assert replaced["compilations"] == 0
    assert (tmp_path / "macros.png").stat().st_size > 1000
