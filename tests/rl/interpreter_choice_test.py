"""Which interpreter runs the macros, and what is said about choices that cannot be."""

import dataclasses

import jax
import pytest

from experiments.configs import base
from experiments.wiring import env_maker
from rlgpt_jax.macros import interpret_jax, interpret_pallas
from rlgpt_jax.rl import macro_step, networks
from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.macro_step import interpreter_for
from rlgpt_jax.rl.train import init_learner
from tests.corridor import Corridor
from tests.rl.small import CONFIG


@pytest.mark.parametrize(
    ("given", "on_device", "backend", "chosen"),
    [
        ("auto", False, "cpu", "host"),
        ("auto", False, "gpu", "host"),
        ("auto", True, "cpu", "jax"),
        ("auto", True, "gpu", "jax"),
        ("host", False, "cpu", "host"),
        ("jax", True, "cpu", "jax"),
        ("pallas", True, "gpu", "pallas"),
    ],
)
def test_the_choice(monkeypatch, given, on_device, backend, chosen):
    monkeypatch.setattr(jax, "default_backend", lambda: backend)
    assert interpreter_for(given, on_device) == chosen


@pytest.mark.parametrize(
    ("given", "on_device", "words"),
    [
        ("host", True, "is 'host', but the device driver.*needs jax or pallas.*to auto"),
        ("jax", False, "is 'jax', but the host driver.*needs host.*driver to device"),
        ("pallas", False, "is 'pallas', but the host driver.*needs host.*driver to device"),
        ("pallas", True, "is 'pallas', but JAX runs on cpu.*needs a GPU.*to jax or auto"),
    ],
)
def test_a_choice_that_cannot_be(given, on_device, words):
    with pytest.raises(ValueError, match=f"macros.interpreter {words}"):
        interpreter_for(given, on_device)


def test_the_device_driver_is_given_what_was_chosen(monkeypatch):
    assert macro_step.device_tick("auto") is interpret_jax.tick
    assert macro_step.device_tick("jax") is interpret_jax.tick
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    assert macro_step.device_tick("pallas") is interpret_pallas.tick


def test_a_learner_is_refused_before_anything_is_made(monkeypatch):
    monkeypatch.setattr(networks, "init_params", lambda *_: pytest.fail("made parameters"))
    config = dataclasses.replace(CONFIG, driver="device", interpreter="host")
    with pytest.raises(ValueError, match="macros.interpreter is 'host'"):
        init_learner(Corridor(num_envs=16), empty_space(), config, 0)


def test_a_run_is_refused_before_a_world_is_made():
    llm = base.LLMConfig(transcript="experiments/transcripts/harvest_milk.jsonl")
    for driver, given in (("device", "host"), ("host", "pallas"), ("device", "pallas")):
        macros = base.MacroConfig(interpreter=given)
        config = base.Config(task="harvest_milk", llm=llm, driver=driver, macros=macros)
        assert config.rl.interpreter == given
        with pytest.raises(ValueError, match=f"macros.interpreter is '{given}'"):
            env_maker(config)
