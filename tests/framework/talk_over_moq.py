"""Talks to a generated bot over Media over QUIC: `talk_over_moq.py ADDRESS [--deployed]`.

At ADDRESS is the runner of the bot, or, with `--deployed`, the hosting service: see `deployed_app.py`. The framework's
own transport is the other end: it asks `/start` where to connect, trusts the one certificate whose
fingerprint it is told, says that it is ready, and types a question once the bot has greeted. Printed as JSON: what the
bot said, for how many seconds it was heard, and at which pitch.
"""

import asyncio
import base64
import json
import sys
import urllib.request
from typing import Any

import numpy
from loguru import logger
from pipecat.frames.frames import (
    Frame,
    InputAudioRawFrame,
    InputTransportMessageFrame,
    OutputTransportMessageUrgentFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.transports.moq.transport import MOQParams, MOQTransport
from pipecat.workers.runner import WorkerRunner

from call_deployed import KEY

LOUD = 500
SECONDS = 60
QUESTION = "What is the capital of France?"


class Listener(FrameProcessor):
    """Keeps what comes from the bot: messages arrive above the transport's input, sound below it."""

    def __init__(self, news: asyncio.Event) -> None:
        super().__init__()
        self.news = news
        self.said: list[str] = []
        self.types: list[str] = []
        self.heard: list[numpy.ndarray] = []
        self.rate = 0

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        match frame:
            case InputTransportMessageFrame(message=message):
                self.types.append(message.get("type", ""))
                if message.get("type") == "bot-llm-text":
                    self.said.append(message["data"]["text"])
                self.news.set()
            case InputAudioRawFrame():
                samples = numpy.frombuffer(frame.audio, dtype=numpy.int16)
                self.rate = frame.sample_rate
                if numpy.abs(samples).max(initial=0) > LOUD:
                    self.heard.append(samples)
                self.news.set()
        await self.push_frame(frame, direction)

    async def until(self, condition: Any) -> None:
        while not condition():
            self.news.clear()
            await self.news.wait()

    def seconds(self) -> float:
        return sum(map(len, self.heard)) / max(self.rate, 1)

    def hertz(self) -> float:
        sound = numpy.concatenate(self.heard)
        rises = numpy.flatnonzero((sound[:-1] < 0) & (sound[1:] >= 0))
        return self.rate / float(numpy.median(numpy.diff(rises)))


def start(url: str) -> dict[str, Any]:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"}
    request = urllib.request.Request(url, b'{"transport": "moq"}', headers)
    with urllib.request.urlopen(request, timeout=SECONDS) as answer:
        return json.load(answer)["moq"]


async def main() -> None:
    logger.remove()
    address, deployed = sys.argv[1], "--deployed" in sys.argv
    where = await asyncio.to_thread(start, f"{address}/v1/public/bot/start" if deployed else f"{address}/start")
    transport = MOQTransport(
        params=MOQParams(
            audio_in_enabled=True,
            audio_out_enabled=True,
            relay_url=where["relayUrl"],
            namespace=where["namespace"],
            participant_id=where["clientId"],
            peer_id=where["botId"],
            transcript_track=where["transcriptTrack"],
            client_tls_fingerprints=[base64.b64decode(where["certHash"]).hex()],
        )
    )
    news = asyncio.Event()
    messages, sound = Listener(news), Listener(news)
    worker = PipelineWorker(Pipeline([messages, transport.input(), sound, transport.output()]), enable_rtvi=False)
    runner = WorkerRunner(handle_sigint=False)

    async def tell(kind: str, data: dict[str, Any]) -> None:
        message = {"label": "rtvi-ai", "type": kind, "id": kind, "data": data}
        await worker.queue_frame(OutputTransportMessageUrgentFrame(message=message))

    async def talk() -> None:
        await tell("client-ready", {"version": "1.2.0", "about": {"library": "talk_over_moq"}})
        await sound.until(lambda: "bot-ready" in messages.types and sound.seconds() > 0.3)
        await tell("send-text", {"content": QUESTION, "options": {"run_immediately": True, "audio_response": True}})
        await messages.until(lambda: "Paris" in "".join(messages.said))

    connected = asyncio.Event()

    @transport.event_handler("on_client_connected")
    async def on_client_connected(transport: MOQTransport) -> None:
        connected.set()

    await runner.add_workers(worker)
    running = asyncio.create_task(runner.run())
    async with asyncio.timeout(SECONDS):
        await connected.wait()
        await talk()
    await runner.cancel()
    await running
    heard = {"seconds": sound.seconds(), "hertz": sound.hertz()}
    print(json.dumps({"said": "".join(messages.said), "heard": heard}))


if __name__ == "__main__":
    asyncio.run(main())
