"""The check of the player's motion: what it measures and what it refuses."""

import copy
import gzip
import json

import pytest

from tests.fidelity import motion, scenarios, trajectories

pytestmark = pytest.mark.slow  # physics_test follows the recorded runs


def golden(name: str) -> dict:
    return json.loads((trajectories.GOLDEN / f"{name}.json").read_text())


@pytest.fixture(scope="module")
def walk() -> dict:
    return golden("walk")


def test_golden_and_made_trajectories_hold():
    rows = motion.rows()
    assert [row.rule.split()[0] for row in rows] == ["golden", "made"]
    assert all(row.holds for row in rows), rows
    assert rows[0].measured.startswith("29 of 29")


def test_the_first_tick_that_is_off_is_found(walk):
    assert motion.run_case(walk).first_divergence is None
    wrong = copy.deepcopy(walk)
    for row in wrong["rows"][17:]:
        row[1] += 0.002
    result = motion.run_case(wrong)
    assert result.first_divergence == 17
    assert result.max_error == pytest.approx(0.002, abs=1e-4)


def test_more_files_are_counted_and_failing_ones_named(walk, tmp_path):
    wrong = copy.deepcopy(walk)
    wrong["scenario"]["name"] = "broken_walk"
    wrong["rows"][5][3] += 1.0
    for name, table in (("good", walk), ("bad", wrong)):
        (tmp_path / f"{name}.json").write_text(json.dumps(table))
    row = motion.rows([tmp_path / "good.json", tmp_path / "bad.json"])[2]
    assert row.measured.startswith("1 of 2") and "broken_walk from tick 5" in row.measured
    assert not row.holds


def test_a_run_that_the_recording_s_rounding_decides_is_marked():
    """Walks into a wall at x 2 from the right; the recording walks through it."""
    cases = [case for case in trajectories.load(trajectories.MADE) if case.name == "heldout_1032"]
    (result,) = motion.run_cases(cases)
    assert result.first_divergence is None and result.rounded


def test_blocks_that_the_world_lacks_keep_their_shape(walk):
    """The floor is of blocks of other names; a slab in the way has another metadata."""
    same = golden("half_slab_step")
    same["scenario"]["world"]["fill"][0]["block"] = "end_bricks"
    same["scenario"]["world"]["fill"][1]["block"] = "purpur_slab"
    assert motion.run_case(same).first_divergence is None
    same["scenario"]["world"]["fill"][1]["block"] = "purpur_block"
    assert motion.run_case(same).first_divergence is not None


def test_an_unknown_block_is_named(walk):
    wrong = copy.deepcopy(walk)
    wrong["scenario"]["world"]["fill"].append(
        {"block": "marble", "from": [0, 64, 0], "to": [0, 64, 0]}
    )
    with pytest.raises(ValueError, match="trajectory: walk: 'marble' is no block"):
        motion.run_case(wrong)


def damage(table: dict, key: str) -> dict:
    wrong = copy.deepcopy(table)
    del wrong["scenario"][key]
    return wrong


def test_files_that_are_no_trajectories_are_refused(walk, tmp_path):
    short = copy.deepcopy(walk)
    short["rows"] = short["rows"][:-3]
    holes = copy.deepcopy(walk)
    holes["rows"][4][2] = None
    endless = copy.deepcopy(walk)
    endless["scenario"]["world"]["fill"][0]["to"][0] = 10**7
    wrong = {
        "empty": "", "list": "[1, 2]", "number": "3", "object": "{}", "text": "no json",
        "no_world": json.dumps(damage(walk, "world")),
        "no_start": json.dumps(damage(walk, "start")),
        "short": json.dumps(short), "holes": json.dumps(holes), "endless": json.dumps(endless),
    }  # fmt: skip
    for name, text in wrong.items():
        path = tmp_path / f"{name}.json"
        path.write_text(text)
        with pytest.raises(ValueError, match=f"{name}.json"):
            motion.run_cases(trajectories.load(path))
    path = tmp_path / "cut.json.gz"
    path.write_bytes(gzip.compress(json.dumps({"cases": [walk]}).encode())[:200])
    with pytest.raises(ValueError, match="cut.json.gz"):
        trajectories.load(path)


def test_scenarios_depend_on_the_seed_alone_and_can_be_packed(walk, tmp_path):
    assert scenarios.scenario(3004) == scenarios.scenario(3004) != scenarios.scenario(3010)
    made = {case.name: case for case in trajectories.load(trajectories.MADE)}
    keys = trajectories.parse(
        {**walk, "scenario": scenarios.scenario(3004), "rows": walk["rows"][:1] * 201}
    ).keys
    assert (made["shapes_3004"].keys == keys).all()
    (tmp_path / "walk.json").write_text(json.dumps(walk))
    scenarios.pack(tmp_path / "all.json.gz", [tmp_path / "walk.json"])
    (packed,) = trajectories.load(tmp_path / "all.json.gz")
    assert packed.name == "walk" and len(packed.path) == len(walk["rows"]) - 1
