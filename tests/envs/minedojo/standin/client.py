"""A client of MineDojo's protocol, small enough for tests."""

import json
import socket
import struct
from typing import Any, NamedTuple

import numpy as np

SIZE = (12, 20)
_TIMEOUT = 300.0  # seconds; the first mission may compile


class Answer(NamedTuple):
    """What a step is answered with."""

    image: np.ndarray  # uint8[H, W, 3], the top row first
    done: bool
    info: dict[str, Any]


class Client:
    """One connection: hello, missions, steps."""

    def __init__(self, port: int, hello: bytes = b"<MalmoEnv0.37.0/>"):
        self.link = socket.create_connection(("127.0.0.1", port), timeout=_TIMEOUT)
        self.send(hello)

    def send(self, *messages: bytes) -> None:
        for message in messages:
            self.link.sendall(struct.pack("!I", len(message)) + message)

    def receive(self) -> bytes:
        """One message; EOFError if the connection ends in it."""
        (length,) = struct.unpack("!I", self._exactly(4))
        return self._exactly(length)

    def _exactly(self, count: int) -> bytes:
        body = b""
        while len(body) < count:
            part = self.link.recv(count - len(body))
            if not part:
                raise EOFError(f"{len(body)} of {count} bytes")
            body += part
        return body

    def number(self) -> int:
        return struct.unpack("!I", self.receive())[0]

    def reset(self, mission: bytes | None = None) -> Answer:
        """As MineDojo's client does it: quit, mission and token, peek."""
        self.send(b"<Quit/>")
        assert self.number() == 1
        self.send(mission or mission_xml(), b"0b5c:0:0:1:true")
        assert self.number() == 1
        self.send(b"<Peek/>")
        pixels, info, done = self.receive(), self.receive(), self.receive()
        return Answer(picture(pixels), done != b"\0", json.loads(info))

    def step(self, *lines: str) -> Answer:
        text = "\n".join(lines)
        self.send(f"<StepClient0>{text}</StepClient0 >".encode())
        pixels, result, info = self.receive(), self.receive(), self.receive()
        reward, done, sent = struct.unpack("!dbb", result)
        assert reward == 0.0 and sent == 1
        self.send(b"<StepServer></StepServer>")
        return Answer(picture(pixels), done != 0, json.loads(info))

    def close(self) -> None:
        self.link.close()


def picture(pixels: bytes) -> np.ndarray:
    return np.frombuffer(pixels, np.uint8).reshape(*SIZE, 3)[::-1]


def mission_xml(
    inventory: str = '<InventoryObject slot="0" type="bucket" metadata="0" quantity="1"/>',
    world: str = '<BiomeGenerator forceReset="true" seed="" biome="1"/>',
    start: str = "", handlers: str = "", time: str = "",
) -> bytes:  # fmt: skip
    """A MissionInit of the parts that MineDojo's client sends."""
    height, width = SIZE
    return f"""<MissionInit xmlns="http://ProjectMalmo.microsoft.com" PlatformVersion="0.37.0">
    <Mission><ServerSection>
      <ServerInitialConditions>
        <Time>{time}<AllowPassageOfTime>true</AllowPassageOfTime></Time>
        <AllowSpawning>true</AllowSpawning>
      </ServerInitialConditions>
      <ServerHandlers>{world}</ServerHandlers>
    </ServerSection>
    <AgentSection mode="Survival"><Name>MineDojoAgent0</Name>
      <AgentStart><BreakSpeedMultiplier>1.0</BreakSpeedMultiplier>
        <Inventory>{inventory}</Inventory>{start}</AgentStart>
      <AgentHandlers>
        <VideoProducer want_depth="false">
          <Width>{width} </Width><Height>{height}</Height></VideoProducer>
        <ObservationFromGrid><Grid name="voxels">
          <min x="-1" y="-1" z="-1"/><max x="1" y="1" z="1"/></Grid></ObservationFromGrid>
        {handlers}
      </AgentHandlers></AgentSection></Mission></MissionInit>""".encode()


def lidar_xml(*rays: tuple[float, float, float]) -> str:
    rows = "".join(f'<RayOffset pitch="{p}" yaw="{y}" distance="{d}"/>' for p, y, d in rays)
    return f"<ObservationFromRichLidar>{rows}</ObservationFromRichLidar>"
