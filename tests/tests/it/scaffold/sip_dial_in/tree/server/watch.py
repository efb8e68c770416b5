"""A live view of the pipeline, for development."""

import os
import socket

from loguru import logger
from pipecat.pipeline.worker import PipelineWorker
from pipecat.workers.base_worker import WorkerParams
from pipecat.workers.runner import WorkerRunner
from pipecat_whisker import WhiskerServer

# The ports of the sessions that can be watched now.
WATCHED: set[int] = set()


class LiveView(WhiskerServer):
    """The live view of one session. It frees its port at the end."""

    def __init__(self, port: int):
        super().__init__(port=port)
        self.port = port

    async def run(self, params: WorkerParams) -> None:
        """Show the session until it ends."""
        try:
            await super().run(params)
        finally:
            WATCHED.discard(self.port)


async def watch(worker: PipelineWorker, runner: WorkerRunner) -> None:
    """Offer a live view of a session, unless the bot is deployed."""
    # The runner sets this when the bot runs locally.
    if os.getenv("ENV") != "local":
        return
    port = port_to_watch()
    if port is None:
        return
    logger.info(f"This session can be watched live at ws://localhost:{port}")
    view = LiveView(port)
    worker.add_observer(view.create_observer(worker))
    await runner.add_workers(view)


def port_to_watch() -> int | None:
    """Reserve a port for the live view of one session, from 9090 up; None if all are taken."""
    for port in range(9090, 9100):
        if port in WATCHED:
            continue
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        WATCHED.add(port)
        return port
    return None
