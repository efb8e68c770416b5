"""Hands a generated bot the call that its web server announced: `take_call.py SERVER_FOLDER < BODY`.

The bot's own code runs up to where it would join the room. Then what Daily would tell it is told: that the room is
joined, that a line is ready, that somebody answers. Daily's and Twilio's APIs are stand-ins. Printed as JSON: what was
asked of them, how often the bot had greeted after each step, which of the later news ended the session, and how often
it calls somebody in vain.
"""

import asyncio
import json
import os
import sys
import threading
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from loguru import logger
from pipecat.frames.frames import LLMRunFrame
from pipecat.pipeline.worker import PipelineWorker
from pipecat.runner.types import DailyRunnerArguments, RunnerArguments
from pipecat.transports.daily.transport import DailyTransport
from pipecat.workers.runner import WorkerRunner
from twilio.http.http_client import TwilioHttpClient

from drive_call_server import StandIn
from project import loaded

KEYS = ("OPENAI_API_KEY", "DAILY_API_KEY", "TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN")
ENDPOINT = "sip:line@sip.example.com"


class Watched:
    """What the bot does, from its start on."""

    def __init__(self) -> None:
        self.greetings = 0
        self.ended = 0
        self.dialled: list[Any] = []
        self.redirected: list[Any] = []
        self.transport: DailyTransport | None = None
        self.rates: tuple[int, int] | None = None
        self.dialout_error: str | None = None

    def install(self, bot: ModuleType) -> None:
        watched = self

        class Worker(PipelineWorker):
            def __init__(self, pipeline, *, params, **kwargs):
                watched.rates = (params.audio_in_sample_rate, params.audio_out_sample_rate)
                super().__init__(pipeline, params=params, **kwargs)

            async def queue_frames(self, frames):
                watched.greetings += sum(isinstance(frame, LLMRunFrame) for frame in frames)

            def create_task(self, coroutine, *_args, **_kwargs):
                """Nothing has set the worker up."""
                return asyncio.create_task(coroutine)

        make = bot.create_transport

        async def create_transport(*args):
            watched.transport = await make(*args)
            watched.transport.start_dialout = start_dialout
            return watched.transport

        async def start_dialout(settings):
            watched.dialled.append(settings)
            return "session", watched.dialout_error

        async def nothing(runner, *_args, **_kwargs):
            """As if the conversation were over at once."""

        async def cancel(runner, *_args, **_kwargs):
            watched.ended += 1

        def request(client, method, url, *, data=None, auth=None, **_kwargs):
            watched.redirected.append({"method": method, "url": url, "auth": auth, "data": data})
            if "fails" in (data or {}).get("Twiml", ""):
                raise OSError("Twilio cannot be reached")
            return SimpleNamespace(status_code=200, text=json.dumps({"sid": "CA0"}), headers={})

        bot.PipelineWorker, bot.create_transport = Worker, create_transport
        WorkerRunner.run, WorkerRunner.cancel = nothing, cancel
        TwilioHttpClient.request = request

    async def tell(self, event: str, *args: Any) -> None:
        """What Daily says; the transport's own handling of it is part of the run."""
        assert self.transport
        await getattr(self.transport, f"_{event}")(*args)
        # The transport runs handlers as tasks of their own; all that they do ends at once.
        for _ in range(50):
            await asyncio.sleep(0.01)


async def take(bot: ModuleType, arguments: RunnerArguments) -> dict[str, Any]:
    arguments.session_id = "session-1"
    watched = Watched()
    watched.install(bot)
    StandIn.asked.clear()
    await bot.bot(arguments)
    assert isinstance(watched.transport, DailyTransport)
    client = watched.transport._client
    result = {"room": client.room_url, "token": client._token, "rates": watched.rates, "greetings": {}}
    for event, said in (
        ("on_joined", ({},)),
        ("on_dialin_ready", (ENDPOINT,)),
        ("on_participant_joined", ({"id": "1"},)),
        ("on_dialout_answered", ({},)),
    ):
        await watched.tell(event, *said)
        result["greetings"][event] = watched.greetings
    result |= {"dialled": [*watched.dialled], "redirected": [*watched.redirected], "ended": watched.ended}
    result |= {"asked": [*StandIn.asked], "ends": []}
    for event, said in (
        ("on_dialin_error", ({},)),
        ("on_dialout_error", ({},)),
        ("on_dialout_stopped", ({},)),
        ("on_dialin_ready", ("sip:fails@sip.example.com",)),
        ("on_participant_left", ({"id": "1"}, "left")),
    ):
        before = watched.ended
        await watched.tell(event, *said)
        if watched.ended > before:
            result["ends"].append(event)
    return result


async def refused(bot: ModuleType, arguments: RunnerArguments, at_once: bool) -> dict[str, Any]:
    """Nobody can be called: said at once, or later."""
    sys.modules["calls"].DIAL_PAUSE_SECS = 0
    watched = Watched()
    watched.dialout_error = "no credit" if at_once else None
    watched.install(bot)
    await bot.bot(arguments)
    await watched.tell("on_joined", {})
    while not at_once and watched.ended == 0 and len(watched.dialled) < 9:
        await watched.tell("on_dialout_error", {})
    return {"dialled": len(watched.dialled), "ended": watched.ended, "greetings": watched.greetings}


async def main() -> None:
    logger.remove()
    stand_in = ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
    threading.Thread(target=stand_in.serve_forever, daemon=True).start()
    os.environ |= {name: f"the {name}" for name in KEYS}
    os.environ["DAILY_API_URL"] = f"http://127.0.0.1:{stand_in.server_port}/v1"
    body = json.load(sys.stdin)
    bot = loaded(Path(sys.argv[1]))
    room = "https://example.daily.co/somebody"
    keys = {"daily_api_key": "another key", "daily_api_url": os.environ["DAILY_API_URL"]}
    result = {
        # As the runner starts a bot whose room comes with the request.
        "announced": await take(bot, RunnerArguments(body=body)),
        # As the hosting service starts one for a call that it was told of itself.
        "hosted": await take(bot, DailyRunnerArguments(room_url=room, token="other", body=body | keys)),
        # As the runner starts one in a room of its own making: whoever asks for that has not asked `server.py`.
        "elsewhere": await take(bot, DailyRunnerArguments(room_url=room, token="other", body=body)),
        "nobody": await take(bot, DailyRunnerArguments(room_url=room, token="other")),
    }
    if "dialout_settings" in body:
        for name, at_once in (("refused at once", True), ("refused later", False)):
            arguments = RunnerArguments(body=body)
            arguments.session_id = "session-1"
            result[name] = await refused(bot, arguments, at_once)
    print(json.dumps(result))
    sys.stdout.flush()
    # The native client keeps threads that nothing ends.
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(main())
