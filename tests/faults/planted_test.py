"""A key that is planted in the environment and repeated by a service is in no file of a run."""

import io
import json

import pytest
from rich.console import Console

from experiments import flags, run
from experiments.progress import Display
from experiments.report.page import write_report
from rlgpt_jax.agents.llm.base import ProviderError
from rlgpt_jax.agents.llm.calls import Limits
from rlgpt_jax.agents.llm.connect import connect
from rlgpt_jax.loop import two_loop
from rlgpt_jax.loop.record import RunFolder
from tests.doubles.services import WIRES
from tests.doubles.services.server import Fault, Peer
from tests.doubles.services.wire import Answer
from tests.loop.script import ANSWERS, CONFIG, tools

KEY = "sk-planted-0123456789"
ECHO = Answer(f"Your key is {KEY}.")
FAULTS = (
    Fault(f"overloaded, {KEY}", status=529),
    Fault("unreadable", raw=json.dumps([KEY]).encode()),
    Fault("model", changed=(("model", KEY),)),
)


class Written:
    """The service's answers are the written ones, with the key before them."""

    def __init__(self, provider):
        self.provider = provider
        self.answers = {}

    def complete(self, requests, on_answer=None):
        for request in requests:
            prompt = "\n\n".join(message.text for message in request.messages)
            self.answers[prompt] = ANSWERS.get(request.key, "")
        return self.provider.complete(requests, on_answer)


@pytest.mark.faults
@pytest.mark.parametrize("provider", WIRES)
def test_no_file_console_or_report_holds_a_key(provider, tmp_path, monkeypatch, ledger):
    ledger.begin("API key planted in answers and errors")
    monkeypatch.setenv("PLANTED", KEY)
    out = io.StringIO()
    display = Display(Console(file=out))
    with Peer(WIRES[provider], lambda seen: ECHO, key=KEY) as peer:
        settings = flags.parse([
            "--config=harvest_log", f"--config.llm.provider={provider}", "--config.llm.transcript=",
            f"--config.llm.base_url={peer.url}", "--config.llm.model=model-a",
            "--config.llm.api_key_env=PLANTED", f"--workdir={tmp_path / 'run'}",
        ])  # fmt: skip
        run.write_settings(RunFolder(tmp_path / "run"), settings, display)
        limits = Limits(deadline_seconds=60.0, first_wait=0.005, longest_wait=0.02)
        written = Written(connect(settings.config.llm.endpoint(), limits))
        peer.respond = lambda seen: Answer(f"{ECHO.text}\n{written.answers[seen.prompt]}")
        peer.faults.extend([*FAULTS, None, Fault(f"bad key {KEY}", status=401)])
        given = tools(tmp_path / "run", written, on_event=display)
        with pytest.raises(ProviderError) as error:
            two_loop.run(CONFIG, given)
        two_loop.run(CONFIG, given)
    write_report(tmp_path / "run")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 30 and not [path for path in files if KEY.encode() in path.read_bytes()]
    assert b"Your key is [key]" in (tmp_path / "run/transcript.jsonl").read_bytes()
    assert KEY not in out.getvalue() + str(error.value)
    ledger.end(out.getvalue())
