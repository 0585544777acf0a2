"""What the facts of a world with a spec came to in episodes: `WorldSpec.facts`, for critics."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rlgpt_jax.envs.spec import Sensed, WorldSpec
from rlgpt_jax.rl.evaluate.dead_loops import Watch


def values_of(spec: WorldSpec, obs: Sensed) -> np.ndarray:
    """float32[N, facts]."""
    names = [field.name for field in spec.fields]
    return np.asarray(obs.fields)[:, [names.index(name) for name in spec.facts]]


def watch(
    watches: Sequence[Watch], spec: WorldSpec, played: Any, free: np.ndarray, counts: np.ndarray
) -> None:
    """Shows one tick, an `episodes.Played`, to the `Watch` of the lanes `counts` bool[N]; in
    those of `free` bool[N] an action counted."""
    before = values_of(spec, played.obs)
    after = values_of(spec, played.result.step.final_obs)
    for lane in map(int, np.flatnonzero(counts)):
        seen = watches[lane]
        seen.values += [after[lane]] if seen.values else [before[lane], after[lane]]
        if free[lane]:
            seen.see(played.labels[lane], np.inf)


def told(spec: WorldSpec, values: Sequence[np.ndarray]) -> dict[str, float]:
    """The facts at the end of an episode, by its values float32[facts]."""
    end = values[-1] if len(values) else ()
    return {name: float(x) for name, x in zip(spec.facts, end, strict=False)}


def facts_of(spec: WorldSpec, episodes: Mapping[str, Sequence[Watch]]) -> dict[str, Any]:
    """Of the episodes of an evaluation, those that "succeeded" and that "failed" apart: for each
    kind that happened plain data, by name the mean of the last values with the least and the most
    of them; and of the highest of each episode, for a fact that a reward wants low of the lowest,
    the mean and the best of all episodes."""
    found = {kind: [np.array(e.values) for e in some] for kind, some in episodes.items() if some}
    return {kind: _of(spec, values) for kind, values in found.items()}


def _of(spec: WorldSpec, episodes: list[np.ndarray]) -> dict[str, dict[str, float]]:
    weights, facts = dict(spec.progress), {}
    for i, name in enumerate(spec.facts):
        ends = [float(values[-1, i]) for values in episodes]
        word, best = ("lowest", min) if weights.get(name, 0.0) < 0 else ("highest", max)
        most = [float(best(values[:, i])) for values in episodes]
        facts[name] = {
            "mean": float(np.mean(ends)), "low": min(ends), "high": max(ends),
            f"{word}_mean": float(np.mean(most)), word: best(most),
        }  # fmt: skip
    return facts


def describe(facts: Mapping[str, Any]) -> list[str]:
    """The same in words, one sentence for each fact and kind of episode.

    Args:
      facts: of `facts_of`.
    """
    return [
        f"{name} at the end of {'failed' if kind == 'failed' else 'successful'} episodes: "
        f"{x['mean']:.3g} on average ({x['low']:.3g} to {x['high']:.3g}); its {word} in an "
        f"episode: {x[f'{word}_mean']:.3g} on average, {x[word]:.3g} at best."
        for kind in ("failed", "succeeded") for name, x in facts.get(kind, {}).items()
        for word in ("lowest", "highest") if word in x
    ]  # fmt: skip
