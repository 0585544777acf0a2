"""A double of the game client `minedojo` 0.1, for tests: the same names, layers and quirks.

It has no code of MineDojo's. Launched plainly, it plays by the few rules of `sim.rules`; where
it connects to an existing instance, the game is whatever serves at that port
(`tests.envs.minedojo.voxel_game`). Faults are put in its way by files, see `sim.faults`.
"""

from minedojo.sim import faults

faults.pass_by("import")

from minedojo.tasks import make as make  # noqa: E402
