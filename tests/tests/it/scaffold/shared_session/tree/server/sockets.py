"""WebSocket connections on the hosting service, which does not say who opened them."""

from pipecat.runner.types import RunnerArguments, WebSocketRunnerArguments


async def tell_sockets_apart(runner_args: RunnerArguments) -> None:
    """Treat every WebSocket as a client's: the hosting service does not say who opened it."""
    if isinstance(runner_args, WebSocketRunnerArguments) and not runner_args.transport_type:
        runner_args.transport_type = "websocket"
