"""Drives MineDojo's own client by lines of JSON; runs under the client's interpreter alone.

    PYTHON client_script.py < requests

It imports nothing of ours. A request is a line {"op": ..., ...}; the answer is a line that
begins with "@ " and goes on in JSON. What observations hold is written to .npz files, an
array of each key in the order of the steps. Operations:
  make      task, port or null, kwargs   the environment; with a port it joins the instance
                                         that listens there and launches nothing;
                                         initial_inventory is a list of
                                         [slot, name, variant, quantity]
  reset     out or null
  command   text                         a chat command, in a tick of its own
  steps     actions, out or null         gives rewards and dones
  picture                                mean colour of the upper and the lower half
  port                                   where the game listens
  close
"""

import json
import sys
from typing import Any

import numpy as np


class Session:
    """The environment, and what came of the last step."""

    def __init__(self):
        self.env: Any = None
        self.obs: Any = None

    def make(self, task, port, kwargs):
        import minedojo
        from minedojo.sim import InventoryItem

        if "initial_inventory" in kwargs:
            rows = kwargs["initial_inventory"]
            kwargs["initial_inventory"] = [InventoryItem(*row) for row in rows]
        self.env = minedojo.make(task, **kwargs)
        if port is not None:
            bridge = self.env.unwrapped._bridge_env
            bridge._get_new_instance = lambda: type(bridge)._get_new_instance(bridge, port=port)
        return {"action": np.asarray(self.env.action_space.nvec).tolist()}

    def reset(self, out):
        self.obs = self.env.reset()
        write([self.obs], out)
        return {"keys": sorted(self.obs)}

    def command(self, text):
        self.obs, _, done, info = self.env.unwrapped.execute_cmd(text)
        return {"done": bool(done), "life": info["life"]}

    def steps(self, actions, out):
        rewards, dones, seen, harms = [], [], [], []
        for action in actions:
            self.obs, reward, done, info = self.env.step(np.array(action))
            rewards.append(float(reward))
            dones.append(bool(done))
            harms.append(info["damage_source"])
            seen.append(self.obs)
        write(seen, out)
        return {"rewards": rewards, "dones": dones, "damage_source": harms}

    def picture(self):
        rgb = self.obs["rgb"].astype(float)
        half = rgb.shape[1] // 2
        parts = rgb[:, :half], rgb[:, half:]
        return {"shape": rgb.shape, "colours": [part.mean((1, 2)).tolist() for part in parts]}

    def port(self):
        return {"port": self.env.unwrapped._bridge_env._instances[0].port}

    def close(self):
        self.env.close()
        return {}


def flat(obs, path=""):
    """{"group/key": array} of nested dicts."""
    if not isinstance(obs, dict):
        return {path: np.asarray(obs)}
    parts = {}
    for key, value in obs.items():
        parts.update(flat(value, path + "/" + key if path else key))
    return parts


def write(seen, out):
    """All observations as one file; strings are as long as the longest."""
    if out and seen:
        rows = [flat(obs) for obs in seen]
        arrays: Any = {key: np.stack([row[key] for row in rows]) for key in rows[0]}
        np.savez(out, **arrays)


def main():
    session = Session()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(session, request.pop("op"))(**request)
        except Exception as error:  # told to who asked, whatever it is
            answer = {"error": f"{type(error).__name__}: {error}"}
        print("\n@ " + json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
