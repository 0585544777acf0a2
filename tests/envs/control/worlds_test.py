"""Every world of the table with its real simulator: run with `-m control`."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from rlgpt_jax.envs.control import packages
from rlgpt_jax.envs.control.making import make
from rlgpt_jax.envs.control.table import TASKS, get_task
from rlgpt_jax.envs.spec import Sensed, WorldSpec

pytestmark = pytest.mark.control
LANES = 3


def opened(name: str, num_envs: int = LANES, workers: int = 1, **options: Any) -> Any:
    for package in get_task(name).packages:
        pytest.importorskip(package)
    packages.check(name, get_task(name).packages)
    return make(name, num_envs, workers, **options)


@pytest.fixture(params=TASKS)
def world(request: pytest.FixtureRequest) -> Iterator[Any]:
    env = opened(request.param, workers=2)
    yield env
    env.close()


def random_actions(spec: WorldSpec, count: int, seed: int = 0) -> np.ndarray:
    """float32[count, LANES, columns] of the primitive."""
    index = [action.name for action in spec.actions].index(spec.primitive)
    rng = np.random.default_rng(seed)
    rows = np.zeros((count, LANES, spec.columns), np.float32)
    rows[..., 0] = index
    for column, argument in enumerate(spec.actions[index].arguments, start=1):
        rows[..., column] = rng.uniform(argument.low, argument.high, (count, LANES))
    return rows


def check(spec: WorldSpec, seen: Sensed) -> None:
    assert seen.fields.shape == (LANES, len(spec.fields)) and seen.fields.dtype == np.float32
    assert np.isfinite(seen.fields).all() and seen.rgb is None


def test_a_world_resets_steps_and_begins_new_episodes(world: Any) -> None:
    spec = world.spec
    first = world.reset(0)
    check(spec, first)
    task = TASKS[spec.name]
    ended = np.zeros(LANES, bool)
    actions = random_actions(spec, task.horizon)
    # All but one step of an episode take long in a kitchen; its time limit is that of the others.
    for action in actions if spec.name != "kitchen_kettle" else actions[:40]:
        step = world.step(action)
        done = step.terminated | step.truncated
        same = (step.obs.fields == step.final_obs.fields).all(axis=1)
        assert (same | done).all()
        ended |= done
        assert not step.info["lost"].any() and not step.info["busy"].any()
        assert np.array_equal(step.reward, step.info["success"].astype(np.float32))
    check(spec, step.obs)
    check(spec, step.final_obs)
    assert ended.all() or spec.name == "kitchen_kettle"


def test_numbers_lie_about_where_their_fields_say(world: Any) -> None:
    fields = world.spec.fields
    low, high = (np.array([getattr(f, side) for f in fields]) for side in ("low", "high"))
    wide = 1.0 * (high - low)  # twice as far as they say, at most
    seen = [world.reset(0).fields]
    seen += [world.step(action).obs.fields for action in random_actions(world.spec, 30)]
    outside = (np.array(seen) < low - wide) | (np.array(seen) > high + wide)
    assert not outside.any(), [fields[i].name for i in np.flatnonzero(outside.any(axis=(0, 1)))]


def test_what_is_saved_goes_on_with_the_same_bits(world: Any) -> None:
    actions = random_actions(world.spec, 50, seed=1)
    world.reset(5)
    for action in actions[:23]:
        world.step(action)
    saved = world.save()
    went = [world.step(action).obs.fields for action in actions[23:]]
    other = opened(world.spec.name)
    try:
        other.reset(9)
        now = other.load(saved)
        assert now.fields.shape == went[0].shape
        again = [other.step(action).obs.fields for action in actions[23:]]
    finally:
        other.close()
    assert np.array_equal(went, again)


def test_pictures_show_something(world: Any) -> None:
    world.reset(0)
    picture = world.render([1], (48, 64))
    assert picture.shape == (1, 48, 64, 3) and picture.dtype == np.uint8
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 10


def test_a_plan_that_is_saved_goes_on_with_the_same_bits() -> None:
    world = opened("kitchen_microwave")
    columns = world.spec.columns
    toward, along, close = np.zeros((3, LANES, columns), np.float32)
    toward[:, :4] = 1, -0.3, 0.35, 2.2
    along[:, :4] = 2, 0.1, 0.1, 0.0
    close[:, 0] = 3
    actions = [*[close] * 3, *[toward] * 14, *[along] * 8, *[close] * 2]
    try:
        for start in (2, 8, 20, 26):
            world.reset(1)
            for action in actions[:start]:
                world.step(action)
            saved = world.save()
            went = [world.step(action).obs.fields for action in actions[start:]]
            world.reset(2)
            world.load(saved)
            assert np.array_equal(went, [world.step(a).obs.fields for a in actions[start:]])
    finally:
        world.close()


def test_without_opengl_the_error_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUJOCO_GL", "disable")
    world = opened("assembly")
    try:
        world.reset(0)
        with pytest.raises(ValueError, match=r"MUJOCO_GL=disable .*apt-get install libegl1"):
            world.render([0])
        assert not world.step(random_actions(world.spec, 1)[0]).info["lost"].any()
    finally:
        world.close()


# --- scripted solutions -------------------------------------------------------------
class Hand:
    """One lane, driven as a macro would."""

    def __init__(self, name: str, seed: int = 0):
        self.world = opened(name, 1)
        self.spec = self.world.spec
        self._names = [field.name for field in self.spec.fields]
        self._kinds = [action.name for action in self.spec.actions]
        self._see(self.world.reset(seed))
        self.success = self.ended = False
        self.steps = 0

    def _see(self, seen: Sensed) -> None:
        self.obs = dict(zip(self._names, seen.fields[0].tolist()))

    def act(self, kind: str, *numbers: float) -> None:
        row = np.zeros((1, self.spec.columns), np.float32)
        row[0, 0] = self._kinds.index(kind)
        row[0, 1 : 1 + len(numbers)] = numbers
        step = self.world.step(row)
        self._see(step.final_obs)
        self.steps += not self.ended
        self.success |= bool(step.info["success"][0])
        self.ended |= bool(step.terminated[0] | step.truncated[0])

    def go(self, kind: str, *numbers: float, most: int = 80) -> None:
        """As the kitchen's `move_to` and `follow`."""
        for _ in range(most):
            if self.ended:
                return
            self.act(kind, *numbers)
            if self.obs["arrived"] > 0 or self.obs["reachable"] < 1:
                return

    def at(self, what: str) -> np.ndarray:
        return np.array([self.obs[f"{what}_{axis}"] for axis in "xyz"])

    def beside(self, *away: float) -> np.ndarray:
        """A point near the handle."""
        return self.at("handle") + np.array(away)


@pytest.fixture
def hand(request: pytest.FixtureRequest) -> Iterator[Hand]:
    made = Hand(request.param)
    yield made
    made.world.close()


def of(name: str) -> Any:
    return pytest.mark.parametrize("hand", [name], indirect=True)


@of("mountain_car")
def test_reverse_then_forward_climbs_the_hill(hand: Hand) -> None:
    for step in range(300):
        hand.act("drive", -1.0 if step < 40 else 1.0)
        if hand.ended:
            break
    assert hand.success and hand.obs["position"] >= 0.45


@of("mountain_car")
def test_forward_alone_does_not(hand: Hand) -> None:
    for _ in range(300):
        hand.act("drive", 1.0)
    assert not hand.success


@of("kitchen_slide_cabinet")
def test_a_push_slides_the_cabinet_open(hand: Hand) -> None:
    hand.go("toward", *hand.beside(-0.12, -0.02, 0.0))
    hand.go("along", 0.5, 0.0, 0.0)
    assert hand.success and hand.steps < 70


@of("kitchen_kettle")
def test_a_push_moves_the_kettle(hand: Hand) -> None:
    for _ in range(8):
        hand.act("close")
    hand.go("toward", *hand.beside(0.0, -0.15, -0.1))
    hand.go("along", 0.0, 0.5, 0.0)
    assert hand.success and hand.steps < 70


@of("kitchen_microwave")
def test_a_grip_pulls_the_microwave_open(hand: Hand) -> None:
    hand.go("toward", *hand.beside(0.0, -0.1, 0.0))
    for _ in range(8):
        hand.act("open")
    hand.go("along", *(hand.beside(0.0, 0.02, 0.0) - hand.at("hand")))
    for _ in range(8):
        hand.act("close")
    for change in ((-0.01, -0.1, 0.0), (-0.03, -0.12, 0.0), (-0.06, -0.12, 0.0)):
        hand.go("along", *change, most=60)
    assert hand.success and hand.steps < 200


@pytest.mark.parametrize("name", ["assembly", "peg_insert_side"])
def test_metaworlds_own_policies_solve_its_tasks(name: str) -> None:
    pytest.importorskip("metaworld")
    from metaworld.policies import SawyerAssemblyV3Policy, SawyerPegInsertionSideV3Policy

    from rlgpt_jax.envs.control.assembly import Assembly

    made = SawyerAssemblyV3Policy if name == "assembly" else SawyerPegInsertionSideV3Policy
    simulator = Assembly(**dict(get_task(name).options))
    wins = 0
    for seed in range(8):
        simulator.reset(seed)
        policy, obs = made(), simulator._env._get_obs()
        for _ in range(500):
            action = np.clip(policy.get_action(obs), -1, 1)
            outcome = simulator.step(np.concatenate([[0], action]).astype(np.float32))
            obs = simulator._env._last_stable_obs
            if outcome.terminated:
                break
        wins += outcome.success
    assert wins >= 5  # peg insertion fails now and then, in Meta-World itself too


def reach(hand: Hand, *target: float) -> None:
    """As assembly's `move_to`."""
    for _ in range(100):
        away = np.array(target) - hand.at("hand")
        if hand.ended or np.abs(away).max() < 0.01:
            return
        hand.act("move", *(10 * away), hand.obs["grip"])


def grip(hand: Hand, force: float) -> None:
    for _ in range(20):
        hand.act("move", 0.0, 0.0, 0.0, force)


@of("assembly")
def test_skills_put_the_ring_over_the_peg(hand: Hand) -> None:
    grip(hand, -1.0)
    x, y, z = hand.at("object") - np.array([0.02, 0.0, 0.0])
    reach(hand, x, y, z + 0.1)
    reach(hand, x, y, z + 0.03)
    grip(hand, 0.8)
    goal = hand.at("goal")
    reach(hand, *hand.at("hand")[:2], goal[2] + 0.12)
    x, y, _ = goal + hand.at("hand") - hand.at("ring")
    reach(hand, x, y, goal[2] + 0.14)
    reach(hand, x, y, goal[2] - 0.06)
    assert hand.success and hand.steps < 300


@of("peg_insert_side")
def test_skills_push_the_peg_into_the_hole(hand: Hand) -> None:
    grip(hand, -1.0)
    x, y, z = hand.at("object")
    reach(hand, x, y, z + 0.1)
    reach(hand, x, y, z)
    grip(hand, 0.8)
    goal = hand.at("goal")
    reach(hand, *(hand.at("hand") + np.array([0.0, 0.0, 0.14])))
    for ahead in (0.35, 0.35, -0.05 + hand.obs["hand_x"] - hand.obs["head_x"]):
        _, y, z = goal + hand.at("hand") - hand.at("head")
        reach(hand, goal[0] + ahead, y, z)
    assert hand.success and hand.steps < 350


# --- the planner --------------------------------------------------------------------
TARGETS = ((-0.3, 0.35, 2.2), (0.1, 0.4, 2.4), (-0.6, 0.3, 1.9))


def test_planned_paths_reach_their_targets_without_touching_anything() -> None:
    for package in get_task("kitchen_kettle").packages:
        pytest.importorskip(package)
    from rlgpt_jax.envs.control.kitchen import TOWARD, Kitchen

    kitchen = Kitchen("slide cabinet")
    kitchen.reset(0)
    model, data = kitchen._env.model, kitchen._data
    names = [model.body(model.geom_bodyid[geom]).name for geom in range(model.ngeom)]
    robot = np.array([name.startswith("panda0") for name in names])
    for target in TARGETS:
        for steps in range(80):
            row = np.zeros(10, np.float32)
            row[:4] = TOWARD, *target
            fields = kitchen.step(row).fields
            touching = robot[data.contact.geom[: data.ncon]].any(axis=1)
            assert not (touching & (data.contact.dist[: data.ncon] < 0)).any(), (target, steps)
            if fields[-2]:
                break
        assert fields[-2:].tolist() == [1.0, 1.0]  # arrived, reachable
        assert np.linalg.norm(kitchen._hand() - target) < 0.015


def test_a_plan_depends_on_its_inputs_alone_and_none_is_found_out_of_reach() -> None:
    for package in get_task("kitchen_kettle").packages:
        pytest.importorskip(package)
    from rlgpt_jax.envs.control.kitchen import Kitchen

    kitchen = Kitchen("slide cabinet")
    kitchen.reset(0)
    ask = kitchen._data.qpos.copy(), kitchen._home, np.array([-0.108, 0.607, 2.6])
    first = kitchen._arm.plan(*ask)
    kitchen._arm.plan(ask[0], ask[1], np.array([-0.6, 0.4, 1.8]))
    assert np.array_equal(first, kitchen._arm.plan(*ask))
    assert kitchen._arm.plan(ask[0], ask[1], np.array([0.6, 1.0, 2.9])) is None
