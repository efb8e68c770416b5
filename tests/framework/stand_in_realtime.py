"""A stand-in for OpenAI's speech-to-speech API on loopback.

It prints its address and serves until it is ended. Each response of a session is the answer to what came since the last
one: the words, and a tone in place of the voice. The options are those of `stand_in_openai.py`. `--fail` has words lead
to an error, after which the framework hears nothing more, `--stumble` to a response that fails, and `--silent` to none.
What it is told to say to the user, it says.
"""

import argparse
import asyncio
import base64
import json
from itertools import count
from typing import Any

from websockets.asyncio.server import ServerConnection, serve

from stand_in_openai import answer, call, parser_of_scripts, scripted, speech, words

# A tenth of a second of sound.
CHUNK = 4_800
CALLS = count(1)
# How `session.py` of a generated bot has words said.
TOLD = "Say this to the user, and nothing else: "


async def converse(socket: ServerConnection, script: argparse.Namespace) -> None:
    numbers = count()
    heard = ""
    offered: list[str] = []

    async def say(kind: str, **rest: Any) -> None:
        await socket.send(json.dumps({"type": kind, "event_id": f"event-{next(numbers)}"} | rest))

    await say("session.created", session={})
    async for message in socket:
        match json.loads(message):
            case {"type": "session.update", "session": session}:
                offered = [tool["name"] for tool in session.get("tools") or []]
                await say("session.updated", session={})
            case {"type": "conversation.item.create", "item": item}:
                await say("conversation.item.added", item=item)
                heard += item.get("output") or "".join(map(words, item["content"]))
            case {"type": "response.create"}:
                if script.silent and script.silent in heard:
                    pass
                elif script.fail and script.fail in heard:
                    error = {"type": "server_error", "code": "server_error", "message": "The service is out of order."}
                    await say("error", error=error)
                elif script.stumble and script.stumble in heard:
                    details = {"error": {"type": "server_error", "message": "The service stumbled."}}
                    await say("response.done", response=RESPONSE | {"status": "failed", "status_details": details})
                elif called := call(script, heard, offered):
                    await respond(say, scripted(script, heard), script.pace, called)
                else:
                    await respond(say, heard.partition(TOLD)[2] or answer(script, heard), script.pace)
                heard = ""


RESPONSE = {"id": "response-1", "status": "in_progress"}


async def respond(say: Any, words: str | None, pace: float, called: dict[str, Any] | None = None) -> None:
    await say("response.created", response=RESPONSE)
    output = [await speak(say, words, pace)] if words else []
    output += [await request(say, called)] if called else []
    await say("response.done", response=RESPONSE | {"status": "completed", "output": output})


async def request(say: Any, called: dict[str, Any]) -> dict[str, Any]:
    """Have a function called; its result comes back as an item, before the next response."""
    number = next(CALLS)
    item = {"id": f"item-{number}", "type": "function_call", "name": called["name"], "call_id": f"call-{number}"}
    place = {"response_id": RESPONSE["id"], "item_id": item["id"], "output_index": 0, "call_id": item["call_id"]}
    arguments = json.dumps(called["arguments"])
    done = item | {"arguments": arguments, "status": "completed"}
    await say("conversation.item.added", item=item | {"arguments": "", "status": "in_progress"})
    await say("response.function_call_arguments.delta", delta=arguments, **place)
    await say("response.function_call_arguments.done", arguments=arguments, **place)
    await say("conversation.item.done", item=done)
    return done


async def speak(say: Any, words: str, pace: float) -> dict[str, Any]:
    item = {"id": "item-1", "type": "message", "role": "assistant", "content": []}
    place = {"response_id": RESPONSE["id"], "item_id": item["id"], "output_index": 0, "content_index": 0}
    await say("conversation.item.added", item=item)
    sound = speech(words, pace)
    for begin in range(0, len(sound), CHUNK):
        delta = base64.b64encode(sound[begin : begin + CHUNK]).decode()
        await say("response.output_audio.delta", delta=delta, **place)
    await say("response.output_audio_transcript.delta", delta=words, **place)
    await say("conversation.item.done", item=item)
    return item


async def main() -> None:
    parser = parser_of_scripts(__doc__)
    parser.add_argument("--fail", metavar="WORDS")
    parser.add_argument("--stumble", metavar="WORDS")
    parser.add_argument("--silent", metavar="WORDS")
    script = parser.parse_args()
    async with serve(lambda socket: converse(socket, script), "127.0.0.1", 0) as server:
        print(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
