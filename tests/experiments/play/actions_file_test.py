"""Files of actions: every form, and words for what is wrong in them."""

import numpy as np
import pytest

from experiments.play.actions_file import COLUMN_NAMES, in_words, read_actions
from experiments.values import ConfigError
from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import CRAFT_NAMES


def read(tmp_path, text: str, name: str = "actions.txt") -> list[list[int]]:
    path = tmp_path / name
    path.write_text(text)
    return read_actions(path).tolist()


def test_all_forms_of_a_line_say_the_same(tmp_path):
    lines = """
    # walking and looking right
    forward jump yaw=13      # words

    move=1 jump=1 yaw=13
    """
    assert read(tmp_path, lines) == [[1, 0, 1, 12, 13, 0, 0, 0]] * 2


def test_functions_and_products_go_by_name_or_number(tmp_path):
    planks = CRAFT_NAMES.index("planks")
    lines = f"fn=craft arg=planks\nfn=4 arg={planks}\nfn=equip slot=35\nattack\nnoop"
    assert read(tmp_path, lines) == [
        [0, 0, 0, 12, 12, 4, planks, 0], [0, 0, 0, 12, 12, 4, planks, 0],
        [0, 0, 0, 12, 12, 5, 0, 35], [0, 0, 0, 12, 12, 3, 0, 0], list(base.NOOP),
    ]  # fmt: skip


def test_repeats_are_written_out(tmp_path):
    assert len(read(tmp_path, "attack repeat=61\nnoop")) == 62


def test_arrays_are_read(tmp_path):
    actions = np.tile(np.array(base.NOOP), (3, 1))
    np.save(tmp_path / "actions.npy", actions)
    np.testing.assert_array_equal(read_actions(tmp_path / "actions.npy"), actions)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("forwrd", r"line 2: 'forwrd' is no word .* Did you mean forward"),
        ("yaww=13", r"'yaww=13' is no word .* yaw="),
        ("yaw=25", "yaw=25: it must be 0 to 24"),
        ("pitch=down", "pitch=down: it must be 0 to 24"),
        ("fn=crafting", r"fn=crafting: no such name. Did you mean craft"),
        ("fn=craft arg=plank", r"arg=plank: no such name. Did you mean planks"),
        ("slot=36", "slot=36: it must be 0 to 35"),
        ("attack repeat=0", "repeat=0: it must be 1 to"),
    ],
)
def test_a_bad_line_is_named_with_what_is_allowed(tmp_path, line, words):
    with pytest.raises(ConfigError, match=f"line 2.*{words}|{words}") as error:
        read(tmp_path, f"noop\n{line}")
    assert "actions.txt, line 2: " in str(error.value)


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros((2, 7), int), r"integers \[T, 8\], found int64 \(2, 7\)"),
        (np.zeros((2, 8)), "found float64"),
        (np.array([base.NOOP, (0, 0, 4, 12, 12, 0, 0, 0)]), r"row 1: entry 3 \(jump\)"),
    ],
)
def test_a_bad_array_is_named(tmp_path, array, words):
    np.save(tmp_path / "actions.npy", array)
    with pytest.raises(ConfigError, match=words):
        read_actions(tmp_path / "actions.npy")


def test_files_that_are_none_or_empty_are_told(tmp_path):
    with pytest.raises(ConfigError, match="there is no such file"):
        read_actions(tmp_path / "none.txt")
    with pytest.raises(ConfigError, match="holds no action"):
        read(tmp_path, "# nothing\n")
    for noise in (b"\x00\x01\xff", b"PK\x03\x04 of an archive"):
        (tmp_path / "noise.npy").write_bytes(noise)
        with pytest.raises(ConfigError, match="no NumPy file"):
            read_actions(tmp_path / "noise.npy")
    (tmp_path / "noise.txt").write_bytes(b"\x00\x01\xff")
    with pytest.raises(ConfigError, match="neither text nor"):
        read_actions(tmp_path / "noise.txt")


def test_words_of_an_action_give_it_back(tmp_path):
    rng = np.random.default_rng(0)
    actions = rng.integers(0, base.ACTION_SIZES, (50, len(COLUMN_NAMES)))
    text = "\n".join(in_words(action) for action in actions)
    assert read(tmp_path, text) == actions.tolist()
    assert in_words(np.array(base.NOOP)) == "noop"
