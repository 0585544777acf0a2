"""The gymnasium adapters: gymnasium's own checks, episodes, seeds, both kinds of time."""

import builtins
import dataclasses
import importlib
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from rlgpt_jax.envs import base, gym
from rlgpt_jax.envs.gym import making
from rlgpt_jax.envs.names import CRAFT_NAMES, NAME_ID
from rlgpt_jax.envs.tasks.tasks import TASKS, Task
from tests.envs.voxel.worlds import HOST_LANES, HOST_PARAMS

SMALL = dataclasses.replace(HOST_PARAMS, sea_level=16)
IMAGE = (12, 20)
# One log makes a reward without an end, two make the end; 12 ticks are all there is.
TASK = Task("gym_test", "make planks", goal_item="planks", goal_quantity=8,
            start_items=(("log", 2),), horizon=12)  # fmt: skip
ID = f"rlgpt/{TASK.name}-v0"
CRAFT = np.array(base.NOOP)
CRAFT[[base.FUNCTION, base.CRAFT_ARG]] = base.FN_CRAFT, CRAFT_NAMES.index("planks")
NOOP = np.array(base.NOOP)
TURN = np.array(base.NOOP)
TURN[base.YAW] = 14


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory):
    """Arguments of a small world; the task is in the table while these tests run."""
    TASKS[TASK.name] = TASK
    gym.register()
    yield {"world": SMALL, "cache_dir": tmp_path_factory.mktemp("worlds"), "image_size": IMAGE}
    del TASKS[TASK.name], gymnasium.registry[ID]


@pytest.fixture(scope="module")
def env(options):
    return gymnasium.make(ID, render_mode="rgb_array", **options).unwrapped


@pytest.fixture(scope="module")
def envs(options):
    return gymnasium.make_vec(ID, num_envs=HOST_LANES, render_mode="rgb_array", **options)


def same(one, other) -> bool:
    if isinstance(one, dict):
        return all(same(one[key], other[key]) for key in one) and one.keys() == other.keys()
    return np.array_equal(one, other)


def test_gymnasium_s_checker_finds_nothing(env, monkeypatch):
    """It makes the environment twice more, so these share the first one's world."""
    monkeypatch.setattr(making, "_world", lambda *_: env.world)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env)


def test_every_task_is_registered():
    for name in TASKS:
        spec = gymnasium.spec(f"rlgpt/{name}-v0")
        assert spec.kwargs["task"] == name and spec.vector_entry_point is not None
    before = dict(gymnasium.registry)
    gym.register()
    assert gymnasium.registry == before


def test_an_episode_has_rewards_images_and_an_end(env):
    obs, info = env.reset(seed=1)
    assert obs in env.observation_space and obs["rgb"].shape == (3, *IMAGE)
    assert np.ptp(obs["rgb"]) > 50 and info == {"success": False, "busy": False, "tick": 0}
    rewards, busy = [], []
    for action in (CRAFT, CRAFT, NOOP, CRAFT):
        obs, reward, terminated, truncated, info = env.step(action)
        rewards.append(reward)
        busy.append(info["busy"])
        assert obs in env.observation_space
    assert rewards == [4, 0, 0, 4] and busy == [True, True, False, False]
    assert terminated and not truncated and info["success"] and info["tick"] == 4
    assert obs["inventory"]["quantity"][obs["inventory"]["name"] == NAME_ID["planks"]] == 8
    with pytest.raises(RuntimeError, match="call reset"):
        env.step(NOOP)


def test_a_busy_agent_s_craft_is_not_told_as_one(env):
    env.reset(seed=1)
    obs = env.step(CRAFT)[0]
    assert obs["delta_inv"]["inc_quantity_by_craft"] == 4
    obs = env.step(CRAFT)[0]
    assert obs["delta_inv"]["inc_quantity_by_craft"] == 0


def test_time_runs_out_and_the_last_picture_is_of_the_old_episode(env):
    obs, _ = env.reset(seed=2)
    for tick in range(1, 13):
        old = obs
        obs, _, terminated, truncated, _ = env.step(TURN)
        assert truncated == (tick == 12) and not terminated
    np.testing.assert_allclose(obs["location_stats"]["pos"], old["location_stats"]["pos"], atol=1)
    assert same(env.render().transpose(2, 0, 1), obs["rgb"])


def test_seeds_decide_episodes(env):
    first, _ = env.reset(seed=7)
    second, _ = env.reset()
    assert not same(first, second)
    again, _ = env.reset(seed=7)
    assert same(first, again)
    assert same(second, env.reset()[0])


def test_the_seed_of_make_is_that_of_the_first_reset(env):
    seeded = gym.single.VoxelGymEnv(env.world, 7, False, None)
    first, _ = seeded.reset()
    assert same(first, env.reset(seed=7)[0])
    assert seeded.render() is None


def test_minedojo_s_time_takes_three_ticks_in_one_step(env):
    slow = gym.single.VoxelGymEnv(env.world, None, True, None)
    slow.reset(seed=1)
    obs, reward, _, _, info = slow.step(CRAFT)
    assert reward == 4 and info == {"success": False, "busy": False, "tick": 3}
    assert obs["delta_inv"]["inc_quantity_by_craft"] == 4
    assert obs["rgb"].shape == (3, *IMAGE)
    yaw = float(obs["location_stats"]["yaw"][0])
    obs, _, _, _, info = slow.step(TURN)
    assert info["tick"] == 4
    turned = (float(obs["location_stats"]["yaw"][0]) - yaw) % 360
    assert turned == pytest.approx(30, abs=1e-3)
    _, reward, terminated, _, info = slow.step(CRAFT)
    assert reward == 4 and terminated and info["tick"] == 5  # it ends within the three


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (np.zeros(7, int), "8 integers a lane"),
        (np.zeros(8), "float64"),
        (np.array([0, 0, 0, 12, 25, 0, 0, 0]), r"entry 4 is yaw .* 0 to 24, not 25"),
        (np.array([-1, 0, 0, 12, 12, 0, 0, 0]), r"entry 0 is move .* 0 to 2, not -1"),
    ],
)
def test_bad_actions_are_told(env, action, words):
    env.reset(seed=0)
    with pytest.raises(ValueError, match=words):
        env.step(action)


def test_bad_arguments_are_told(env, options):
    with pytest.raises(ValueError, match="no task 'harvest_mlk'"):
        gym.make("harvest_mlk")
    with pytest.raises(ValueError, match="no split 'test'"):
        gym.make(TASK.name, split="test", world=SMALL, cache_dir=options["cache_dir"])
    with pytest.raises(ValueError, match="no render_mode 'human'"):
        gym.single.VoxelGymEnv(env.world, None, False, "human")
    with pytest.raises(ValueError, match="single environments"):
        gym.make_vec(TASK.name, 2, minedojo_time=True)
    with pytest.raises(ValueError, match="num_envs"):
        gym.make_vec(TASK.name, 0)


# --- flat ----
def test_the_choices_of_every_task_are_actions_of_the_world():
    space = gym.spaces.action_space()
    for task in TASKS.values():
        for choice in gym.flat.choices_of(task):
            row = NOOP.copy()
            for column, value in choice.columns:
                row[column] = value
            assert row in space, (task.name, choice)
    table = [c.name for c in gym.flat.choices_of(TASKS["craft_wooden_pickaxe"])]
    assert {"craft stick", "craft crafting_table", "place crafting_table"} <= set(table)
    bed = [c.name for c in gym.flat.choices_of(TASKS["craft_bed_with_crafting_table_and_shears"])]
    assert {"craft bed", "place crafting_table", "equip shears"} <= set(bed)


def test_flat_is_a_vector_and_a_number(env):
    flat = gym.Flat(env)
    names = [choice.name for choice in flat.choices]
    assert names[-1] == "craft planks" and flat.action_space.n == len(names)
    seen, info = flat.reset(seed=1)
    planks = 12 + 2 * 27 + 3 * base.NUM_RAYS + NAME_ID["planks"]
    assert seen in flat.observation_space and seen[planks] == 0 and seen[-1] == 1
    seen, reward, *_ = flat.step(names.index("craft planks"))
    assert reward == 4 and seen[planks] == 4 / 64 and seen[11] == 1  # busy
    assert seen[planks - NAME_ID["planks"]] == 0 and info["tick"] == 0


def test_stable_baselines_trains_on_it_as_it_is(env):
    sb3 = pytest.importorskip("stable_baselines3", reason="pip install stable-baselines3")
    importlib.import_module("stable_baselines3.common.env_checker").check_env(gym.Flat(env))
    model = sb3.PPO("MlpPolicy", gym.Flat(env), n_steps=16, batch_size=16, n_epochs=2, seed=0)
    before = [p.detach().clone() for p in model.policy.parameters()]
    model.learn(48)
    assert model.num_timesteps == 48
    assert any((a != b).any() for a, b in zip(before, model.policy.parameters(), strict=True))


# --- vectors ---------------------------------------------------------------------
def test_the_vector_says_when_it_resets_and_what_it_returns(envs):
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert envs.num_envs == 4 and envs.action_space.shape == (4, 8)
    obs, info = envs.reset(seed=3)
    assert obs in envs.observation_space
    assert info["tick"].tolist() == [0, 0, 0, 0] and info["_tick"].all()
    actions = np.stack([NOOP, CRAFT, NOOP, NOOP])
    obs, reward, terminated, truncated, info = envs.step(actions)
    assert obs in envs.observation_space and reward.tolist() == [0, 4, 0, 0]
    assert terminated.shape == truncated.shape == (4,) and not (terminated | truncated).any()
    assert info["busy"].tolist() == [False, True, False, False] and "final_obs" not in info
    assert [picture.shape for picture in envs.render()] == [(*IMAGE, 3)] * 4


def test_an_ended_lane_leaves_its_last_observation_and_begins_anew(envs):
    envs.reset(seed=3)
    craft = np.stack([NOOP, CRAFT, NOOP, NOOP])
    for _ in range(3):
        before, *_ = envs.step(craft)
    obs, reward, terminated, _, info = envs.step(craft)
    assert terminated.tolist() == [False, True, False, False] and reward[1] == 4
    assert info["_final_obs"].tolist() == [False, True, False, False]
    last = info["final_obs"][1]
    assert last in envs.single_observation_space and info["final_obs"][0] is None
    assert last["inventory"]["quantity"].sum() == 8  # planks took the place of the logs
    assert info["final_info"]["success"].tolist() == [False, True, False, False]
    assert info["final_info"]["tick"].tolist() == [0, 4, 0, 0]
    assert info["tick"].tolist() == [4, 0, 4, 4]
    assert obs["inventory"]["quantity"][1, 0] == 2  # logs of the next episode
    assert not obs["delta_inv"]["inc_quantity_by_other"].any()
    assert (obs["rgb"][1] != last["rgb"]).any()
    place = obs["location_stats"]["pos"], before["location_stats"]["pos"]
    np.testing.assert_allclose(place[0][[0, 2]], place[1][[0, 2]], atol=1e-3)
    assert np.abs(place[0][1] - place[1][1]).max() > 1


def test_wrappers_of_vectors_count_episodes(envs):
    counted = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    counted.reset(seed=3)
    for _ in range(4):
        *_, info = counted.step(np.stack([NOOP, CRAFT, NOOP, NOOP]))
    assert info["episode"]["r"][1] == 8 and info["episode"]["l"][1] == 4
    each = gymnasium.wrappers.vector.DictInfoToList(envs)
    each.reset(seed=3)
    assert [sorted(one) for one in each.step(np.stack([NOOP] * 4))[-1]] == [
        ["busy", "success", "tick"]
    ] * 4


def test_a_vector_s_seed_decides_all_lanes(envs):
    first, _ = envs.reset(seed=5)
    assert same(first, envs.reset(seed=5)[0]) and not same(first, envs.reset()[0])
    assert (first["location_stats"]["pos"][0] != first["location_stats"]["pos"][1]).any()
    with pytest.raises(ValueError, match="one integer seeds all lanes"):
        envs.reset(seed=[1, 2, 3, 4])


# --- places -------------------------------------------------------------------------
def test_the_folder_of_worlds_is_the_user_s_or_what_they_say(monkeypatch, tmp_path):
    monkeypatch.setenv("RLGPT_CACHE", str(tmp_path))
    assert making.cache_folder() == tmp_path
    monkeypatch.delenv("RLGPT_CACHE")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert making.cache_folder() == tmp_path / ".cache" / "rlgpt_jax" / "worlds"


def test_without_gymnasium_the_extra_is_named(monkeypatch):
    real = builtins.__import__

    def none_such(name, *args, **kwargs):
        if name == "gymnasium":
            raise ImportError("No module named 'gymnasium'")
        return real(name, *args, **kwargs)

    kept = {name: module for name, module in sys.modules.items()
            if name.startswith("rlgpt_jax.envs.gym")}  # fmt: skip
    for name in kept:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", none_such)
    with pytest.raises(ImportError, match=r"pip install 'rlgpt_jax\[gym\]'"):
        importlib.import_module("rlgpt_jax.envs.gym")
