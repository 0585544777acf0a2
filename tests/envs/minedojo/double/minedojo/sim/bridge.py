import os
import subprocess
import sys

from minedojo.sim import faults
from minedojo.sim.rules import RulesGame


class Instance:
    """A game: a process of its own (that does nothing here), or one that is there already."""

    def __init__(self, port):
        self.minecraft_process = None if port else subprocess.Popen(["sleep", "600"])
        if os.environ.get("MINEDOJO_DEBUG_LOG"):
            sys.stdout.write("CLIENT enter state: DORMANT\n")  # as all that the game says
        if port:
            from minedojo.sim.remote import RemoteGame

            self.game = RemoteGame(port)
        else:
            self.game = RulesGame()


class BridgeEnv:
    SOCKTIME = 60.0 * 4

    def __init__(self):
        self._instances = []
        self.is_terminated = False

    def _get_new_instance(self, port=None, instance_id=None):
        del instance_id
        return Instance(port)

    def reset(self, mission):
        faults.pass_by("mission")
        if not self._instances:
            self._instances.append(self._get_new_instance())
        if faults.game_is_dead:
            raise ConnectionRefusedError("the game is gone")
        self.is_terminated = False
        faults.note(f"patience {self.SOCKTIME:g}")
        return self._instances[0].game.mission(mission)

    def step(self, action, chat, begins):
        if self.is_terminated:
            raise RuntimeError("Attempted to step an environment server with done=True")
        faults.pass_by("step")
        if faults.game_is_dead:
            self.is_terminated = True
            return None
        return self._instances[0].game.tick(action, chat, begins)

    def close(self):
        for instance in self._instances:
            if instance.minecraft_process is not None:
                instance.minecraft_process.kill()
