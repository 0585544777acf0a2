from minedojo.tasks.meta.base import MetaTaskBase


class HarvestMeta(MetaTaskBase):
    """Counts an item."""

    def __init__(
        self, *, target_names, target_quantities, reward_weights=1, initial_mobs=(),
        initial_mob_spawn_range_low=None, initial_mob_spawn_range_high=None, fast_reset=True,
        specified_biome=None, **kwargs,
    ):  # fmt: skip
        super().__init__(fast_reset=fast_reset, biome=specified_biome, **kwargs)
        self._target, self._quantity = target_names, target_quantities
        self._mobs = list(initial_mobs)
        self._low, self._high = initial_mob_spawn_range_low, initial_mob_spawn_range_high

    def _after_sim_reset_hook(self):
        for mob in self._mobs:
            x, _, z = self._rng.integers(self._low, self._high, endpoint=True)
            self.env.execute_cmd(f"/summon {mob} ~{x} ~1 ~{z}")

    def _count(self, info):
        return sum(row["quantity"] for row in info["inventory"] if row["name"] == self._target)
