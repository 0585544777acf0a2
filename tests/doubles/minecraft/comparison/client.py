"""MineDojo's own client as a child process."""

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from experiments.minedojo import interpreters
from experiments.values import ConfigError

SCRIPT = Path(__file__).parent / "client_script.py"


class ClientError(Exception):
    """What the client raised, in its words."""


def check_client(python: Path) -> None:
    """Refuses an interpreter without MineDojo, which is not imported for that.

    Raises:
      ConfigError: it does not run, or has none.
    """
    cure = "Make one with `python -m experiments.minedojo setup`."
    try:
        packages = interpreters.probe(str(python))["packages"]
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise ConfigError(f"{python} does not run as a Python ({error}). {cure}") from error
    if "minedojo" not in packages:
        raise ConfigError(f"{python} has no MineDojo. {cure}")


class Client:
    """One MineDojo environment under an interpreter of its own. Use it in a `with`."""

    def __init__(self, python: Path, path_first: Path | None = None):
        """Starts the interpreter.

        Args:
          python: with minedojo==0.1.
          path_first: folder that comes first on the child's PATH, with headless launches.
        """
        self.folder = tempfile.TemporaryDirectory(prefix="minedojo_")
        env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
        if path_first is not None:
            env |= {"MINEDOJO_HEADLESS": "1", "PATH": f"{path_first}:{env['PATH']}"}
        self._log = (Path(self.folder.name) / "client.log").open("w+")
        # The client writes logs into its working directory.
        self._process = subprocess.Popen(
            [str(python.absolute()), str(SCRIPT)], cwd=self.folder.name, env=env, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log,
        )  # fmt: skip

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._log.close()
        self.folder.cleanup()

    def ask(self, op: str, **request: Any) -> dict[str, Any]:
        """One request of `client_script` and its answer.

        Raises:
          ClientError: what the client raised, or that it is gone.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps({"op": op, **request}) + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith("@ "):
                answer = json.loads(line[2:])
                if "error" in answer:
                    raise ClientError(f"{op}: {answer['error']}")
                return answer
        self._log.seek(0)
        raise ClientError(f"{op}: the client is gone. Its last words:\n{self._log.read()[-2000:]}")

    def file(self, name: str) -> str:
        """A path for `out` of a request."""
        return str(Path(self.folder.name) / name)
