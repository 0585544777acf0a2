"""The bench reads its options, draws valid actions, and shows every row that was measured."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from experiments.bench import __main__ as command
from experiments.bench import agree, breakdown, frames, learn, plots, ppo, run, turns, world
from experiments.bench.table import Row, from_json, markdown, to_json
from experiments.bench.turns import Contestant
from rlgpt_jax.envs.base import ACTION_SIZES

CPU, GPU = "2 cores of a processor", "gpu: a card"
WORLD = [
    Row("world", "no rays", {"lanes": lanes, "steps_per_second": rate * lanes}, device)
    for lanes in (16.0, 64.0)
    for device, rate in ((CPU, 1000.0), (GPU, 9000.0))
]
TRAINING = Row("ppo", "training", {"lanes": 16.0, "steps_per_second": 900.0, "low": math.nan}, CPU)
FRAMES = [
    Row("frames", name, {"height": h, "width": w, "pixels": h * w, "steps_per_second": 7e6 / h / w},
        CPU)
    for name in ("numba", "jax")
    for h, w in ((64, 64), (160, 256))
]  # fmt: skip
SHARES = Row(
    "breakdown", "harvest_milk, host driver",
    {"share world": 0.25, "share rays": 0.25, "share update": 0.5}, CPU,
)  # fmt: skip
PEERS = [
    Row("peers", name, {"lanes": 64.0, "steps_per_second": rate, "low": rate / 2, "high": rate * 2},
        CPU)
    for name, rate in (("ours, with rays", 30_000.0), ("Craftax-Classic-Symbolic", 3000.0))
]  # fmt: skip
ROWS = [*WORLD, TRAINING, *FRAMES, SHARES, *PEERS]


def test_lanes_are_a_list_of_positive_numbers(capsys: pytest.CaptureFixture) -> None:
    assert command.parse(["world", "ppo", "--lanes=16,512"]).lanes == [16, 512]
    for wrong in ("--lanes=16,x", "--lanes=0"):
        with pytest.raises(SystemExit):
            command.parse(["world", wrong])
        assert "needs whole numbers with commas" in capsys.readouterr().err


def test_all_stands_for_its_parts_once_each() -> None:
    options = command.parse(["frames", "all", "--config=harvest_milk,harvest_log"])
    assert options.parts[0] == "frames" and sorted(options.parts) == sorted(command.ALL)
    assert options.configs == ["harvest_milk", "harvest_log"]


@pytest.mark.parametrize(
    ("flag", "words"),
    [
        ("--sizes=64", "needs height x width"), ("--sizes=0x64", "needs height x width"),
        ("--sizes=64x64,", "needs height x width"), ("--sizes=64x6432x32", "needs height x width"),
        ("--at=0", "needs a number above 0"), ("--seconds=-1", "needs a number above 0"),
        ("--driver=fast", "invalid choice"),
    ],
)  # fmt: skip
def test_bad_options_are_told_before_anything_is_measured(
    flag: str, words: str, capsys: pytest.CaptureFixture
) -> None:
    with pytest.raises(SystemExit):
        command.parse(["frames", flag])
    assert words in capsys.readouterr().err


def test_sizes_are_heights_and_widths() -> None:
    assert command.parse(["frames", "--sizes=64x64,160x256"]).sizes == [(64, 64), (160, 256)]


@pytest.mark.parametrize(
    ("name", "words"),
    [("harvest_milc", "harvest_milk"), ("kitchen_microwave", "this needs one of Minecraft")],
)
def test_a_configuration_that_cannot_be_measured_is_one_line_and_not_a_crash(
    name: str, words: str, capsys: pytest.CaptureFixture, tmp_path: Path
) -> None:
    options = command.parse(["ppo", f"--config={name}", f"--out={tmp_path}"])
    assert run.run(options) == 2
    assert words in capsys.readouterr().out and not list(tmp_path.iterdir())


def test_random_actions_are_valid_and_not_all_the_same() -> None:
    actions = np.stack(world.random_actions(32))
    assert actions.shape == (world.NUM_ACTIONS, 32, 8) and actions.dtype == np.int32
    assert (actions >= 0).all() and (actions < np.array(ACTION_SIZES)).all()
    assert len(np.unique(actions.reshape(-1, 8), axis=0)) > 20


def test_the_macro_of_the_training_bench_is_in_the_language() -> None:
    space = ppo.one_macro()
    assert space.offered[0] and space.uses_macros


class Clock:
    """Wall and processor time that pass only while a contestant runs, on half a core."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now

    def process_time(self) -> float:
        return self.now / 2


def test_contestants_run_in_turns_and_the_median_round_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock()
    order: list[str] = []
    monkeypatch.setattr(turns, "time", clock)

    def runner(name: str, seconds: float) -> Contestant:
        def once() -> None:
            order.append(name)
            is_disturbed = name == "slow" and order.count(name) == 5  # in the third window
            clock.now += 4.5 if is_disturbed else seconds

        return Contestant(name, 8, once, ticks=2)

    rates = turns.measure([runner("slow", 0.5), runner("fast", 0.25)], 3.0, rounds=3)
    assert rates["slow"].median == 32.0 and rates["fast"].median == 64.0
    assert rates["slow"].low == pytest.approx(16 / 4.5) and rates["slow"].high == 32.0
    assert rates["fast"].per_cpu_second == 128.0
    windows = [name for i, name in enumerate(order) if i == 0 or order[i - 1] != name]
    assert windows == ["slow", "fast", "slow", "fast"]  # the order turns around
    with pytest.raises(AssertionError, match="names repeat"):
        turns.measure([runner("one", 1.0), runner("one", 1.0)], 1.0)


def test_the_ways_of_casting_rays_of_a_driver_are_measured() -> None:
    assert world.names("host") == ["rays by numba", "rays by jax", "no rays"]
    assert world.names("device") == ["rays by jax", "no rays"]


def test_shares_are_of_the_wall_time_and_unknown_where_not_measured() -> None:
    updates = [{"time_world": 1.0}, {"time_world": 2.0}]
    assert ppo.share(updates, "time_world", 6.0) == 0.5
    assert math.isnan(ppo.share(updates, "time_macros", 6.0))


def test_the_world_is_split_as_its_senses_take_time() -> None:
    senses = {"world": 1.0, "rays": 2.0, "render": 1.0}
    assert breakdown.split(senses, 0.8) == {"world": 0.2, "rays": 0.4, "render": 0.2}


@pytest.mark.parametrize(
    ("rolled", "plain", "worlds", "macros", "policy"),
    [(0.7, 0.5, 0.3, 0.2, 0.2), (0.5, 0.6, 0.3, 0.0, 0.2), (0.6, 0.5, 0.55, 0.1, 0.0)],
)
def test_the_parts_of_a_rollout_in_one_program_add_up_to_it(
    rolled: float, plain: float, worlds: float, macros: float, policy: float
) -> None:
    """Also where noise makes a program that lacks a part slower than the whole."""
    parts = breakdown.remainders(rolled, plain, worlds)
    assert parts == pytest.approx({"macros": macros, "policy": policy})
    shown = min(worlds, rolled, plain)
    assert sum(parts.values()) + shown == pytest.approx(rolled)


def test_larger_pictures_are_drawn_in_fewer_lanes() -> None:
    assert frames.lanes_for(256, (64, 64)) == 256 == frames.lanes_for(256, (32, 32))
    assert frames.lanes_for(256, (128, 128)) == 64 and frames.lanes_for(4, (160, 256)) == 1


def test_a_level_is_reached_by_a_fair_sample_of_episodes() -> None:
    """Two horizons of 12 ticks in rollouts of 8 are three updates."""
    window = learn.Window(horizon=12, unroll_length=8)
    for rate in (1.0, 0.25):
        window.note({"success_rate": rate})
        assert window.share == 0.0  # not yet
    window.note({"success_rate": 0.25})
    assert window.share == 0.5
    window.note({"success_rate": 0.25})
    assert window.share == 0.25  # the first update is out


def test_tables_show_every_row() -> None:
    written = markdown(ROWS, ["peer: not there"])
    assert "64,000" in written and "25%" in written and "no rays" in written
    lines = written.splitlines()
    assert lines[0] == "## world" and lines[-1] == "- peer: not there"
    assert written.count("| no rays |") == 4 and written.count(GPU) == 2
    assert all(line.count("|") == 5 for line in lines if line.startswith("| no rays"))


def test_rows_come_back_from_json_without_what_was_not_measured() -> None:
    back = from_json(json.loads(json.dumps(to_json(ROWS), allow_nan=False)))
    assert [row for row in back if row.part != "ppo"] == [r for r in ROWS if r.part != "ppo"]
    assert "low" not in next(row for row in back if row.part == "ppo").numbers


def test_what_another_machine_measured_is_read_with_its_device(tmp_path: Path) -> None:
    about = {"device": "gpu: a card", "cpus": 16, "processor": "a processor", "packages": {}}
    assert run.place(about) == GPU
    assert run.place({**about, "device": "cpu: cpu"}) == "16 cores of a processor"
    run.write(tmp_path, ROWS, ["peer: not there"], about, 1.0)
    rows, missing = run.read(tmp_path / "bench.json")
    assert {row.device for row in rows} == {CPU, GPU} and missing == ["peer: not there"]


def test_results_of_two_machines_are_shown_together_without_measuring(tmp_path: Path) -> None:
    about = {"device": GPU, "cpus": 2, "processor": "a processor", "packages": {}}
    for name, device in (("one", CPU), ("two", GPU)):
        rows = [row for row in ROWS if row.device == device]
        run.write(tmp_path / name, rows, [f"{name}: not there"], about, 1.0)
    both = [f"--beside={tmp_path / name / 'bench.json'}" for name in ("one", "two")]
    assert run.run(command.parse(["show", *both, f"--out={tmp_path}"])) == 0
    rows, missing = run.read(tmp_path / "bench.json")
    assert len(rows) == len(ROWS) and missing == ["one: not there", "two: not there"]
    written = (tmp_path / "bench.md").read_text()
    assert CPU in written and GPU in written and "two: not there" in written
    assert (tmp_path / "devices.png").exists()


@pytest.mark.parametrize("text", [None, "", "[]", '{"rows": [{"fast": "?"}], "missing": []}'])
def test_what_is_no_bench_of_another_run_is_refused_before_anything_is_measured(
    text: str | None, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    path = tmp_path / "bench.json"
    if text is not None:
        path.write_text(text)
    assert run.run(command.parse(["world", f"--beside={path}", f"--out={tmp_path / 'out'}"])) == 2
    assert "bench.json of another run" in capsys.readouterr().out
    assert not (tmp_path / "out").exists()


def test_every_plot_that_has_rows_is_written_and_no_other(tmp_path: Path) -> None:
    names = [path.name for path in plots.draw(tmp_path / "all", ROWS)]
    assert names == ["lanes.png", "image_size.png", "devices.png", "breakdown.png"]
    assert all((tmp_path / "all" / name).stat().st_size > 5000 for name in names)
    assert plots.draw(tmp_path / "none", [Row("compile", "cold", {"seconds": 1.0}, CPU)]) == []
    assert not (tmp_path / "none").exists()


def test_plots_hold_the_numbers_of_the_rows() -> None:
    from matplotlib import pyplot

    _, axes = pyplot.subplots()
    plots.against_lanes(axes, ROWS)
    lines = {line.get_label(): line.get_xydata().tolist() for line in axes.get_lines()}
    assert lines[f"world: no rays, {GPU}"] == [[16.0, 144_000.0], [64.0, 576_000.0]]
    assert len(lines) == 3  # two devices, and training
    _, axes = pyplot.subplots()
    plots.against_size(axes, ROWS)
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["64x64", "160x256"]
    _, axes = pyplot.subplots()
    plots.by_device(axes, WORLD)
    assert sorted(bar.get_width() for bar in axes.patches) == [64_000.0, 576_000.0]
    _, axes = pyplot.subplots()
    plots.shares(axes, ROWS)
    assert [bar.get_x() for bar in axes.patches] == [0.0, 0.25, 0.5]
    pyplot.close("all")


def test_lanes_that_differ_between_two_devices_are_told():
    state = {"cell": np.array([[1, 2], [1, 2], [3, 4]]), "place": np.array([0.5, np.nan, 0.25])}
    moved = {"cell": state["cell"], "place": np.array([0.5004, np.nan, 0.5])}
    other = {"cell": np.array([[1, 2], [1, 3], [3, 4]]), "place": state["place"]}
    assert list(agree.same_lanes(state, moved, 0.0)) == [False, True, False]
    assert list(agree.same_lanes(state, moved, agree.CLOSE)) == [True, True, False]
    assert list(agree.same_lanes(state, other, agree.CLOSE)) == [True, False, True]
