from typing import NamedTuple

from minedojo.sim.sim import NOOP
from minedojo.sim.sim import MineDojoSim as MineDojoSim

THREE_TICKS, NAMES_SLOT = (2, 4, 5, 6, 7), (5, 6, 7)
SIZES = (3, 3, 4, 25, 25, 8, 244, 36)


class InventoryItem(NamedTuple):
    slot: str | int
    name: str
    variant: int | None = None
    quantity: int | None = None


class Wrapper:
    def __init__(self, env):
        self.env = env

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(f"private attribute {name}")
        return getattr(self.env, name)


class FastResetWrapper(Wrapper):
    def __init__(self, env):
        super().__init__(env)
        self._server_start, self._info_prev_reset = False, None

    def reset(self):
        if not self._server_start:
            self._server_start = True
            return self.env.reset()
        commands = ["/kill", "/spreadplayers ~ ~ 0 200 false @p", "/time set 0"]
        for slot, name, variant, quantity in self.unwrapped.items:
            place = f"slot.hotbar.{slot}" if slot < 9 else f"slot.inventory.{slot - 9}"
            commands.append(f"/replaceitem entity @p {place} minecraft:{name} {quantity} {variant}")
        for command in [*commands, "/kill @e[type=item]"]:
            obs, _, _, self._info_prev_reset = self.env.execute_cmd(command)
        return obs


class Actions(Wrapper):
    """The outermost layer: checks actions, adds two ticks to slow functions."""

    _names = None

    def reset(self):
        obs = self.env.reset()
        self._names = obs["inventory"]["name"]
        return obs

    def step(self, action):
        assert len(action) == 8 and all(0 <= a < size for a, size in zip(action, SIZES))
        if action[5] in NAMES_SLOT and self._names[action[7]] == "air":
            raise ValueError("Trying to use air, raise error with strict check.")
        result = self.env.step(action, True)
        if action[5] in THREE_TICKS:
            for _ in range(2):
                result = self.env.step(NOOP, False)
        self._names = result[0]["inventory"]["name"]
        return result
