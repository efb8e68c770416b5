"""A stand-in for a telephone carrier: `stand_in_carrier.py CARRIER ADDRESS`, where the bot listens at ADDRESS.

It fetches the answer document of a call as the carrier would, opens the media stream that the document names, and holds
a call: the caller hums one tone, and what the bot says is listened to. It prints what was heard as JSON: for how many
seconds, and at which pitch. Sound that any part takes for another sample rate than it has would change that pitch.
"""

import argparse
import asyncio
import base64
import json
import math
import struct
import time
import urllib.parse
import urllib.request
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

RATE = 8_000
FRAME_SECONDS = 0.02
LOUD = 500
# The host name that the bot was told.
HOST = "bot.example.com"
# Seconds until the bot has to have said something.
PATIENCE = 60.0
# What comes with a call of a deployed bot.
DATA = {"order": "A-1042"}


@dataclass
class Carrier:
    """What sets the stream of one carrier apart from another's."""

    # Where the answer document has the stream's address; without one, the address is entered at the carrier by hand.
    answer: Callable[[ElementTree.Element], str | None] | None
    # The attributes without which the carrier would not play what the bot sends.
    both_ways: dict[str, str]
    greeting: list[dict[str, Any]]
    media: dict[str, Any]
    # The event that brings sound, and what else has to be in it.
    plays: dict[str, Any]
    encode: Callable[[list[int]], bytes]
    decode: Callable[[bytes], list[int]]


def to_ulaw(samples: list[int]) -> bytes:
    """G.711: a sign, an exponent and four bits, all inverted."""
    encoded = bytearray()
    for sample in samples:
        magnitude = min(abs(sample), 32635) + 132
        exponent = magnitude.bit_length() - 8
        mantissa = (magnitude >> (exponent + 3)) & 0x0F
        encoded.append(~((0x80 if sample < 0 else 0) | exponent << 4 | mantissa) & 0xFF)
    return bytes(encoded)


def from_ulaw(data: bytes) -> list[int]:
    decoded = []
    for byte in data:
        byte = ~byte & 0xFF
        magnitude = ((((byte & 0x0F) << 3) + 132) << (byte >> 4 & 0x07)) - 132
        decoded.append(-magnitude if byte & 0x80 else magnitude)
    return decoded


def to_pcm(samples: list[int]) -> bytes:
    return struct.pack(f"<{len(samples)}h", *samples)


def from_pcm(data: bytes) -> list[int]:
    return list(struct.unpack(f"<{len(data) // 2}h", data))


CARRIERS = {
    "twilio": Carrier(
        answer=lambda document: stream(document, "Connect/Stream").get("url"),
        both_ways={},
        greeting=[
            {"event": "connected", "protocol": "Call", "version": "1.0.0"},
            {
                "event": "start",
                "sequenceNumber": "1",
                "start": {
                    "accountSid": "AC0",
                    "streamSid": "MZ0",
                    "callSid": "CA0",
                    "tracks": ["inbound"],
                    "mediaFormat": {"encoding": "audio/x-mulaw", "sampleRate": RATE, "channels": 1},
                    "customParameters": {},
                },
                "streamSid": "MZ0",
            },
        ],
        media={"event": "media", "streamSid": "MZ0"},
        plays={"event": "media", "streamSid": "MZ0"},
        encode=to_ulaw,
        decode=from_ulaw,
    ),
    "telnyx": Carrier(
        answer=lambda document: stream(document, "Connect/Stream").get("url"),
        both_ways={"bidirectionalMode": "rtp"},
        greeting=[
            {"event": "connected", "version": "1.0.0"},
            {
                "event": "start",
                "sequence_number": "1",
                "start": {
                    "user_id": "user-0",
                    "call_control_id": "v3:0",
                    "call_session_id": "session-0",
                    "from": "+15550100",
                    "to": "+15550101",
                    "media_format": {"encoding": "PCMU", "sample_rate": RATE, "channels": 1},
                },
                "stream_id": "stream-0",
            },
        ],
        media={"event": "media", "stream_id": "stream-0"},
        plays={"event": "media"},
        encode=to_ulaw,
        decode=from_ulaw,
    ),
    "plivo": Carrier(
        answer=lambda document: stream(document, "Stream").text,
        both_ways={"bidirectional": "true", "contentType": f"audio/x-mulaw;rate={RATE}"},
        greeting=[
            {
                "event": "start",
                "sequenceNumber": 0,
                "start": {
                    "callId": "call-0",
                    "streamId": "stream-0",
                    "accountId": "1",
                    "tracks": ["inbound"],
                    "mediaFormat": {"encoding": "audio/x-mulaw", "sampleRate": RATE},
                },
                "extra_headers": "{}",
            },
        ],
        media={"event": "media", "streamId": "stream-0", "extra_headers": "{}"},
        plays={"event": "playAudio", "streamId": "stream-0"},
        encode=to_ulaw,
        decode=from_ulaw,
    ),
    "exotel": Carrier(
        answer=None,
        both_ways={},
        greeting=[
            {"event": "connected"},
            {
                "event": "start",
                "sequence_number": 1,
                "stream_sid": "stream-0",
                "start": {
                    "stream_sid": "stream-0",
                    "call_sid": "call-0",
                    "account_sid": "account-0",
                    "from": "+15550100",
                    "to": "+15550101",
                    "media_format": {"encoding": "base64", "sample_rate": str(RATE), "bit_rate": "128kbps"},
                },
            },
        ],
        media={"event": "media", "stream_sid": "stream-0"},
        plays={"event": "media", "stream_sid": "stream-0"},
        encode=to_pcm,
        decode=from_pcm,
    ),
}


def stream(document: ElementTree.Element, path: str) -> ElementTree.Element:
    assert document.tag == "Response", f"the answer document is a <{document.tag}>"
    found = document.find(path)
    assert found is not None, f"the answer document has no {path}"
    return found


def stream_path(carrier: Carrier, address: str, host: str | None) -> str:
    """The path of the media stream, as the carrier learns it."""
    if carrier.answer is None or host is None:
        # Where a carrier hands on nothing else, the hosting service takes data from the address.
        body = urllib.parse.quote(base64.b64encode(json.dumps({"data": DATA}).encode()))
        return f"/ws?body={body}" if carrier.answer and "callSid" not in carrier.greeting[-1]["start"] else "/ws"
    request = urllib.request.Request(f"{address}/", data=b"CallSid=CA0&From=%2B15550100", method="POST")
    with urllib.request.urlopen(request, timeout=10) as reply:
        document = ElementTree.fromstring(reply.read())
    url = carrier.answer(document) or ""
    assert url.startswith(f"wss://{host}/"), f"the answer document sends the call to {url!r}"
    given = next(document.iter("Stream")).attrib
    for name, value in carrier.both_ways.items():
        assert given.get(name) == value, f"the answer document lacks {name}={value!r}"
    return url.removeprefix(f"wss://{host}")


async def call(carrier: Carrier, url: str, hum: float, stays: bool) -> list[int]:
    """Hum until the bot has said something, or until it ends the call; return what it said."""
    heard: list[int] = []
    async with connect(url) as line:
        for message in carrier.greeting:
            await line.send(json.dumps(message))
        humming = asyncio.create_task(keep_humming(carrier, line, hum))
        try:
            deadline = time.monotonic() + PATIENCE
            while time.monotonic() < deadline:
                # The bot sends nothing while it has nothing to say.
                silent_for = 1.0 if loud(heard) and not stays else deadline - time.monotonic()
                try:
                    message = json.loads(await asyncio.wait_for(line.recv(), silent_for))
                except TimeoutError:
                    assert not stays, "the bot never ended the call"
                    break
                except ConnectionClosed:
                    assert stays, "the bot ended the call"
                    return heard
                if any(message.get(name) != value for name, value in carrier.plays.items()):
                    continue
                heard += carrier.decode(base64.b64decode(message["media"]["payload"]))
        finally:
            humming.cancel()
        await line.send(json.dumps(carrier.media | {"event": "stop"}))
    return heard


async def keep_humming(carrier: Carrier, line: Any, hum: float) -> None:
    began, sent = time.monotonic(), 0
    samples = int(RATE * FRAME_SECONDS)
    while True:
        frame = [int(3000 * math.sin(2 * math.pi * hum * i / RATE)) for i in range(sent, sent + samples)]
        sent += samples
        payload = base64.b64encode(carrier.encode(frame)).decode()
        track = {"track": "inbound", "chunk": str(sent // samples), "timestamp": str(1000 * sent // RATE)}
        await line.send(json.dumps(carrier.media | {"media": track | {"payload": payload}}))
        await asyncio.sleep(max(0, began + sent / RATE - time.monotonic()))


def loud(samples: list[int]) -> list[int]:
    """From the first sound to the last."""
    places = [place for place, sample in enumerate(samples) if abs(sample) > LOUD]
    return samples[places[0] : places[-1] + 1] if places else []


def pitch(samples: list[int]) -> float:
    """The changes from below to above zero, in hertz."""
    rises = sum(1 for one, other in zip(samples, samples[1:], strict=False) if one < 0 <= other)
    return rises * RATE / len(samples) if samples else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("carrier", choices=CARRIERS)
    parser.add_argument("address", help="where the bot listens: http://127.0.0.1:PORT")
    parser.add_argument("--deployed", action="store_true", help="the answer document is not the bot's: it was entered")
    parser.add_argument("--stays", action="store_true", help="the caller waits until the bot ends the call")
    parser.add_argument("--hum", type=float, default=440.0, help="the caller's pitch in hertz")
    given = parser.parse_args()
    carrier = CARRIERS[given.carrier]
    if given.deployed and "customParameters" in carrier.greeting[-1]["start"]:
        carrier.greeting[-1]["start"]["customParameters"] = {"_pipecatCloudServiceHost": "bot.org"} | DATA
    path = stream_path(carrier, given.address, None if given.deployed else HOST)
    url = given.address.replace("http", "ws", 1) + path
    said = loud(asyncio.run(call(carrier, url, given.hum, given.stays)))
    print(json.dumps({"seconds": round(len(said) / RATE, 2), "hertz": round(pitch(said), 1)}))


if __name__ == "__main__":
    main()
