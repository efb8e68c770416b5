"""WebSocket connections on the hosting service, which does not say who opened them."""

from fastapi import WebSocket
from pipecat.runner.types import RunnerArguments, WebSocketRunnerArguments
from starlette.types import Message
from starlette.websockets import WebSocketState


async def tell_sockets_apart(runner_args: RunnerArguments) -> None:
    """Find out who opened a WebSocket where the host does not say, such as on the hosting service.

    Clients send bytes; evals send text, by which the framework knows them.
    """
    if not isinstance(runner_args, WebSocketRunnerArguments) or runner_args.transport_type:
        return
    opened = runner_args.websocket
    unread = [await opened.receive()]
    if unread[0].get("bytes"):
        runner_args.transport_type = "websocket"

    async def receive() -> Message:
        return unread.pop() if unread else await opened.receive()

    # The same connection, with the first message put back.
    again = WebSocket(opened.scope, receive=receive, send=opened.send)
    again.client_state = again.application_state = WebSocketState.CONNECTED
    runner_args.websocket = again
