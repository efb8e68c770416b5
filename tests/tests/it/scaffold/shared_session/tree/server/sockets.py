"""WebSockets, of which the hosting service does not say who opened them."""

from pipecat.runner.types import RunnerArguments, WebSocketRunnerArguments


async def tell_sockets_apart(runner_args: RunnerArguments) -> None:
    """Take whoever opens a WebSocket for a client: the hosting service does not say who it is."""
    if isinstance(runner_args, WebSocketRunnerArguments) and not runner_args.transport_type:
        runner_args.transport_type = "websocket"
