"""A stand-in for OpenAI's speech-to-speech API on loopback: `stand_in_realtime.py GREETING ANSWER`.

It prints its address and serves until it is ended. The first response of a session is the greeting, each other one the
answer to what was asked since the last one: the words, and a tone in place of the voice.
"""

import asyncio
import base64
import json
import sys
from itertools import count
from typing import Any

from websockets.asyncio.server import ServerConnection, serve

from stand_in_openai import speech

# A tenth of a second of sound.
CHUNK = 4_800


async def converse(socket: ServerConnection) -> None:
    numbers = count()
    greeted = False
    asked: list[str] = []

    async def say(kind: str, **rest: Any) -> None:
        await socket.send(json.dumps({"type": kind, "event_id": f"event-{next(numbers)}"} | rest))

    await say("session.created", session={})
    async for message in socket:
        match json.loads(message):
            case {"type": "session.update"}:
                await say("session.updated", session={})
            case {"type": "conversation.item.create", "item": item}:
                await say("conversation.item.added", item=item)
                asked += [part["text"] for part in item["content"] if part.get("text")]
            case {"type": "response.create"}:
                answer = sys.argv[2] if asked else "Nobody asked."
                await respond(say, answer if greeted else sys.argv[1])
                greeted = True
                asked.clear()


async def respond(say: Any, words: str) -> None:
    item = {"id": "item-1", "type": "message", "role": "assistant", "content": []}
    place = {"response_id": "response-1", "item_id": "item-1", "output_index": 0, "content_index": 0}
    await say("response.created", response={"id": "response-1", "status": "in_progress"})
    await say("conversation.item.added", item=item)
    sound = speech(words)
    for begin in range(0, len(sound), CHUNK):
        delta = base64.b64encode(sound[begin : begin + CHUNK]).decode()
        await say("response.output_audio.delta", delta=delta, **place)
    await say("response.output_audio_transcript.delta", delta=words, **place)
    await say("conversation.item.done", item=item)
    await say("response.done", response={"id": "response-1", "status": "completed", "output": [item]})


async def main() -> None:
    async with serve(converse, "127.0.0.1", 0) as server:
        print(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
