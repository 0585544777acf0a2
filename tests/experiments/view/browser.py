"""A headless Chromium that tests drive through its debugging pipe: no driver, no package."""

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATH = next(filter(None, map(shutil.which, NAMES)), None)
TIMEOUT = 60.0


class Browser:
    """One page, what its console said, and what it could not load."""

    def __init__(self, process: subprocess.Popen, write: int, read: int):
        self._process, self._write, self._read = process, write, read
        self._number, self._buffer = 0, b""
        self.complaints: list[str] = []  # errors of the console, exceptions, failed requests
        self.loaded = 0  # `load` events
        target = self._send("Target.createTarget", {"url": "about:blank"})["targetId"]
        given = {"targetId": target, "flatten": True}
        self._session = self._send("Target.attachToTarget", given)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """A command to the page."""
        return self._send(method, params, sessionId=self._session)

    def open(self, address: str, width: int = 1280, dark: bool = False) -> None:
        """Loads a page at a width in pixels."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=900,
                  deviceScaleFactor=1, mobile=width < 600)  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        before = self.loaded
        self.send("Page.navigate", url=address)
        self.wait(lambda: self.loaded > before)

    def ask(self, script: str) -> Any:
        """The value of an expression in the page; promises are awaited."""
        found = self.send("Runtime.evaluate", expression=script, returnByValue=True,
                          awaitPromise=True, userGesture=True)  # fmt: skip
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def picture(self, path: Path) -> None:
        """The whole page as PNG."""
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        found = self.send("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(found["data"]))

    def wait(self, is_so: Any) -> None:
        """Until a condition holds: a function, or an expression of the page."""
        deadline = time.monotonic() + TIMEOUT
        while not (is_so() if callable(is_so) else self.ask(is_so)):
            assert time.monotonic() < deadline, f"it never came: {is_so}"
            self._receive(0.1)

    def _send(self, method: str, params: dict[str, Any], **more: Any) -> dict[str, Any]:
        self._number += 1
        number = self._number
        line = json.dumps({"id": number, "method": method, "params": params, **more})
        os.write(self._write, line.encode() + b"\0")
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            for message in self._receive(1.0):
                if message.get("id") == number:
                    assert "error" not in message, message["error"]
                    return message["result"]
        raise AssertionError(f"Chromium did not answer {method}")

    def _receive(self, seconds: float) -> list[dict[str, Any]]:
        if not select.select([self._read], [], [], seconds)[0]:
            return []
        self._buffer += os.read(self._read, 1 << 20)
        *whole, self._buffer = self._buffer.split(b"\0")
        messages = [json.loads(line) for line in whole]
        for message in messages:
            self._hear(message.get("method", ""), message.get("params", {}))
        return messages

    def _hear(self, method: str, params: dict[str, Any]) -> None:
        if method == "Page.loadEventFired":
            self.loaded += 1
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(params["exceptionDetails"])[:500])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.complaints.append(json.dumps(params["args"])[:500])
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(json.dumps(params["entry"])[:500])
        elif method == "Network.responseReceived" and params["response"]["status"] >= 400:
            self.complaints.append(f"{params['response']['status']} {params['response']['url']}")


@contextlib.contextmanager
def chromium(folder: Path) -> Iterator[Browser]:
    """A browser with a profile of its own in `folder`."""
    theirs_in, write = os.pipe()
    read, theirs_out = os.pipe()
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", "--autoplay-policy=no-user-gesture-required",
             "--disable-background-networking", f"--user-data-dir={folder}")  # fmt: skip
    # The browser reads commands from descriptor 3 and answers on 4.
    script = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'
    process = subprocess.Popen(
        ["bash", "-c", script, "bash", str(PATH), *flags, "about:blank"],
        pass_fds=(theirs_in, theirs_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(theirs_in)
    os.close(theirs_out)
    try:
        yield Browser(process, write, read)
    finally:
        process.terminate()
        process.wait(timeout=20)
        os.close(write)
        os.close(read)
