"""Loopback servers that speak the three wire formats, strictly, and fail on demand."""

from tests.doubles.services.anthropic_wire import AnthropicWire
from tests.doubles.services.chat_wire import ChatWire
from tests.doubles.services.responses_wire import ResponsesWire
from tests.doubles.services.wire import Wire

WIRES: dict[str, Wire] = {
    "anthropic": AnthropicWire(),
    "openai": ResponsesWire(),
    "compatible": ChatWire(),
}
