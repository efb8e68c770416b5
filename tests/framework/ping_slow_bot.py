"""Pings a bot of which one service is slow, with the `pings.py` in this folder. Prints the answer as JSON."""

import asyncio
import json
import os
import sys

from pipecat.frames.frames import SystemFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.processors.frameworks.rtvi.models import Message
from pipecat.transports.base_input import BaseInputTransport
from pipecat.transports.base_output import BaseOutputTransport
from pipecat.transports.base_transport import BaseTransport, TransportParams
from pipecat.workers.runner import WorkerRunner

sys.path.insert(0, ".")
from pings import answer_pings


class Work(SystemFrame):
    """What the slow service works at, like the audio of a long sentence."""


class Slow(FrameProcessor):
    def __init__(self):
        super().__init__()
        self.working = asyncio.Event()

    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        if isinstance(frame, Work):
            self.working.set()
            await asyncio.sleep(600)
        await self.push_frame(frame, direction)


class Output(BaseOutputTransport):
    def __init__(self):
        super().__init__(TransportParams())
        self.sent = asyncio.Queue()

    async def send_message(self, frame):
        await self.sent.put(frame.message)


class Transport(BaseTransport):
    def __init__(self):
        super().__init__()
        self._ends = BaseInputTransport(TransportParams()), Output()

    def input(self):
        return self._ends[0]

    def output(self):
        return self._ends[1]


async def main():
    transport, slow = Transport(), Slow()
    worker = PipelineWorker(Pipeline([transport.input(), slow, transport.output()]))
    runner = WorkerRunner(handle_sigint=False)
    answer_pings(worker.rtvi, transport)
    await runner.add_workers(worker)
    running = asyncio.create_task(runner.run())
    await worker.queue_frame(Work())
    await slow.working.wait()
    ping = {"label": "rtvi-ai", "type": "client-message", "id": "7", "data": {"t": "ping"}}
    await worker.rtvi.handle_message(Message.model_validate(ping))
    waiting = asyncio.create_task(transport.output().sent.get())
    await asyncio.wait([waiting, running], timeout=30, return_when=asyncio.FIRST_COMPLETED)
    print(json.dumps(waiting.result() if waiting.done() else None), flush=True)
    # The slow service would delay an orderly end.
    os._exit(0)


asyncio.run(main())
