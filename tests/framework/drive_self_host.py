"""Replaces two bots behind their web server while they are called: `drive_self_host.py IMAGE CADDYFILE CARRIER…`.

IMAGE is JSON about the image of a self-hosted project: its `folder`, its command `cmd`, and the command `healthcheck`.
The carriers sign the calls that they report, follow the answer through the web server, and hold the calls while the
bots are replaced. Everything that is no call is refused. It prints as JSON what each call heard.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import os
import signal
import socket
import ssl
import sys
import tempfile
import time
import urllib.parse
import xml.etree.ElementTree as ElementTree
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from twilio.request_validator import RequestValidator
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

from stand_in_carrier import CARRIERS, RATE, keep_humming, loud, pitch

# Seconds until something has to have happened.
PATIENCE = 60.0
FIELDS = {"CallSid": "CA0", "From": "+15550100", "To": "+15550101", "Note": "a b&c=ü"}
TELNYX = Ed25519PrivateKey.generate()
KEYS = {"TWILIO_AUTH_TOKEN": "twilio-token", "PLIVO_AUTH_TOKEN": "plivo-token", "DAILY_API_KEY": "daily-key"}


def signed_by_twilio(url: str, body: bytes) -> dict[str, str]:
    signature = RequestValidator(KEYS["TWILIO_AUTH_TOKEN"]).compute_signature(url, FIELDS)
    return {"X-Twilio-Signature": signature}


def signed_by_telnyx(url: str, body: bytes, age: int = 0) -> dict[str, str]:
    sent = str(int(time.time()) - age)
    signature = base64.b64encode(TELNYX.sign(f"{sent}|".encode() + body)).decode()
    return {"Telnyx-Timestamp": sent, "Telnyx-Signature-Ed25519": signature}


def signed_by_plivo(url: str, body: bytes) -> dict[str, str]:
    text = f"{url}?{''.join(name + FIELDS[name] for name in sorted(FIELDS))}.12345"
    digest = hmac.digest(KEYS["PLIVO_AUTH_TOKEN"].encode(), text.encode(), hashlib.sha256)
    signature = base64.b64encode(digest).decode()
    return {"X-Plivo-Signature-V3-Nonce": "12345", "X-Plivo-Signature-V3": f"other,{signature}"}


SIGNED: dict[str, Callable[..., dict[str, str]]] = {
    "twilio": signed_by_twilio,
    "telnyx": signed_by_telnyx,
    "plivo": signed_by_plivo,
}


class Host:
    """The web server, and what runs behind it."""

    certificate: Path

    def __init__(self, image: dict[str, Any], caddyfile: Path, folder: Path) -> None:
        self.image, self.caddyfile, self.folder = image, caddyfile, folder
        self.ports = {name: free_port() for name in ("http", "https", "a", "b", "c")}
        self.name = f"localhost:{self.ports['https']}"
        self.stack = AsyncExitStack()

    async def __aenter__(self) -> "Host":
        options = f"{{\nadmin off\nskip_install_trust\nhttp_port {self.ports['http']}\n}}\nimport {self.caddyfile}\n"
        (self.folder / "Caddyfile").write_text(options)
        variables = {
            "PUBLIC_HOST": self.name,
            "BOT_A": f"127.0.0.1:{self.ports['a']}",
            "BOT_B": f"127.0.0.1:{self.ports['b']}",
            "XDG_DATA_HOME": str(self.folder),
            "XDG_CONFIG_HOME": str(self.folder),
        }
        caddy = ["caddy", "run", "--adapter", "caddyfile", "--config", str(self.folder / "Caddyfile")]
        await self.stack.enter_async_context(process(caddy, self.folder, variables))
        self.certificate = self.folder / "caddy/pki/authorities/local/root.crt"
        await until("the certificate", self.certificate.exists)
        self.tls = ssl.create_default_context(cafile=self.certificate)
        connector = aiohttp.TCPConnector(ssl=self.tls)
        timeout = aiohttp.ClientTimeout(total=PATIENCE)
        self.client = await self.stack.enter_async_context(aiohttp.ClientSession(connector=connector, timeout=timeout))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stack.aclose()

    async def bot(self, name: str, **variables: str) -> asyncio.subprocess.Process:
        """Start a bot, and wait until it takes calls."""
        public = TELNYX.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        variables = (
            {
                "PUBLIC_HOST": self.name,
                "SERVER_NAME": name,
                "SERVER_PORT": str(self.ports[name]),
                "MAX_SESSIONS": "1000",
                "TELNYX_PUBLIC_KEY": base64.b64encode(public).decode(),
            }
            | KEYS
            | variables
        )
        started = await self.stack.enter_async_context(process(self.image["cmd"], self.image["folder"], variables))

        async def answers() -> bool:
            assert started.returncode is None, f"the bot ended with {started.returncode}"
            quiet = asyncio.subprocess.DEVNULL
            async with process(self.image["healthcheck"], self.image["folder"], variables, output=quiet) as check:
                return await asyncio.wait_for(check.wait(), PATIENCE) == 0

        await until(f"bot {name}", answers)
        return started

    async def sends_to(self, name: str) -> None:
        """Wait until the web server sends calls to a bot. Nobody takes those, and their tickets expire."""

        async def is_sent() -> bool:
            _, answer = await self.report("twilio", signed_by_twilio)
            return f"/media/{name}-".encode() in answer

        await until(f"calls to bot {name}", is_sent)

    async def health(self, name: str) -> int:
        try:
            async with self.client.get(f"http://127.0.0.1:{self.ports[name]}/health") as reply:
                return reply.status
        except aiohttp.ClientConnectionError:
            return 0

    async def report(
        self, carrier: str, sign: Callable[..., dict[str, str]] | None, base: str = ""
    ) -> tuple[int, bytes]:
        """Report a call as the carrier does; the status and the body of the answer."""
        url = f"https://{self.name}/calls/{carrier}"
        body = urllib.parse.urlencode(FIELDS).encode()
        headers = {"Content-Type": "application/x-www-form-urlencoded"} | (sign(url, body) if sign else {})
        method = "GET" if carrier == "exotel" else "POST"
        asked = f"{base}/calls/{carrier}" if base else url
        async with self.client.request(method, asked, data=None if method == "GET" else body, headers=headers) as reply:
            return reply.status, await reply.read()

    async def address(self, carrier: str, base: str = "") -> str:
        """The address of the media stream of a new call."""
        status, answer = await self.report(carrier, SIGNED.get(carrier), base)
        assert status == 200, f"a call of {carrier} is answered with {status}"
        if carrier == "exotel":
            url = json.loads(answer)["url"]
        else:
            document = ElementTree.fromstring(answer)
            read = CARRIERS[carrier].answer
            url = read(document) if read else ""
            given = next(document.iter("Stream")).attrib
            assert given.items() >= CARRIERS[carrier].both_ways.items(), answer
        assert url.startswith(f"wss://{self.name}/media/"), url
        return url

    async def refusal(self, url: str) -> int:
        """The status with which a stream is refused."""
        try:
            async with connect(url, ssl=self.tls if url.startswith("wss") else None):
                return 101
        except InvalidStatus as error:
            return error.response.status_code


class Call:
    """A call that is held until its caller hangs up."""

    def __init__(self, host: Host, carrier: str) -> None:
        self.host, self.carrier = host, CARRIERS[carrier]
        self.name = carrier
        self.heard: list[int] = []
        self.greeted = asyncio.Event()
        self.hangs_up = asyncio.Event()
        self.bot = ""
        self.task = asyncio.create_task(self.hold())

    async def hold(self) -> None:
        url = await self.host.address(self.name)
        self.bot = url.rsplit("/", 1)[-1][0]
        async with connect(url, ssl=self.host.tls) as line:
            for message in self.carrier.greeting:
                await line.send(json.dumps(message))
            listens = asyncio.create_task(self.listen(line))
            humming = asyncio.create_task(keep_humming(self.carrier, line, 440.0))
            try:
                hangs_up = asyncio.create_task(self.hangs_up.wait())
                await asyncio.wait([listens, hangs_up], return_when=asyncio.FIRST_COMPLETED)
                assert not listens.done(), f"a call of {self.name} at bot {self.bot} was dropped: {listens.exception()}"
            finally:
                humming.cancel()
                listens.cancel()
            await line.send(json.dumps(self.carrier.media | {"event": "stop"}))

    async def listen(self, line: ClientConnection) -> None:
        async for text in line:
            message = json.loads(text)
            if all(message.get(name) == value for name, value in self.carrier.plays.items()):
                self.heard += self.carrier.decode(base64.b64decode(message["media"]["payload"]))
                if len(loud(self.heard)) > RATE / 2:
                    self.greeted.set()
        raise ConnectionError("the bot closed the stream")


async def calls(host: Host, carriers: list[str]) -> list[Call]:
    """Make calls at once; each is greeted."""
    made = [Call(host, carrier) for carrier in carriers]
    for one in made:
        greeted = asyncio.create_task(one.greeted.wait())
        await asyncio.wait([greeted, one.task], timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        if one.task.done():
            one.task.result()
        assert greeted.done(), f"a call of {one.name} at bot {one.bot} was not greeted"
    return made


async def hang_up(held: list[Call]) -> list[dict[str, Any]]:
    for one in held:
        one.hangs_up.set()
    await asyncio.wait_for(asyncio.gather(*(one.task for one in held)), PATIENCE)
    said = [loud(one.heard) for one in held]
    return [
        {"carrier": one.name, "seconds": round(len(it) / RATE, 2), "hertz": round(pitch(it), 1)}
        for one, it in zip(held, said, strict=True)
    ]


async def refuses(host: Host) -> None:
    """A bot of its own, with one place, lets in nobody without a valid ticket."""
    bot = await host.bot("c", MAX_SESSIONS="1")
    http = f"http://127.0.0.1:{host.ports['c']}"
    for carrier, sign in SIGNED.items():
        wrong = {
            "nothing": None,
            "another address": lambda url, body, sign=sign: sign(f"{url}/", body),
            "an empty signature": lambda url, body, sign=sign: dict.fromkeys(sign(url, body), ""),
        }
        if carrier == "telnyx":
            wrong["another address"] = lambda url, body: signed_by_telnyx(url, body + b"x")
            wrong["an old signature"] = lambda url, body: signed_by_telnyx(url, body, age=600)
        for name, wrongly in wrong.items():
            answer = await host.report(carrier, wrongly, http)
            assert answer == (403, b""), f"{carrier}, {name}: {answer}"
    streams = f"ws://127.0.0.1:{host.ports['c']}/media/"
    assert await host.refusal(streams + "c-" + 43 * "A") == 403
    assert await host.refusal(streams) == 403

    async def ticket() -> str:
        return (await host.address("twilio", http)).rsplit("/", 1)[-1]

    async def has_room() -> bool:
        return await host.health("c") == 200

    expired = await ticket()
    assert (await host.report("twilio", signed_by_twilio, http))[0] == 503, "a second call in one place"
    await until("the ticket to expire", has_room)
    assert await host.refusal(streams + expired) == 403, "an expired ticket"
    used = await ticket()
    async with connect(streams + used):
        assert await host.refusal(streams + used) == 403, "a ticket that is used"
    await until("the stream to end", has_room)
    foreign = await ticket()
    async with connect(streams + foreign) as line:
        # The ticket of Twilio with the stream of another carrier.
        for message in CARRIERS["exotel"].greeting:
            await line.send(json.dumps(message))
        await asyncio.wait_for(line.wait_closed(), PATIENCE)
    await until("the stream to end", has_room)

    async def is_full() -> bool:
        return await host.health("c") == 503

    # A command that is repeated sends a second TERM, which changes nothing; Ctrl-C ends it at once.
    async with connect(streams + await ticket()):
        bot.send_signal(signal.SIGTERM)
        await until("the first signal", is_full)
        bot.send_signal(signal.SIGTERM)
        assert await host.health("c") == 503
        bot.send_signal(signal.SIGINT)
        assert await asyncio.wait_for(bot.wait(), PATIENCE) == 1


async def replace(host: Host, carriers: list[str], bots: dict[str, Any]) -> list[dict[str, Any]]:
    """Replace both bots while calls go on."""
    five = (carriers * 5)[:5]
    for name in bots:
        await host.sends_to(name)
    heard, held = [], await calls(host, five + five)
    assert {one.bot for one in held} == {"a", "b"}, "all calls are at one bot"
    for name, other in ("ab", "ba"):
        at = f"http://127.0.0.1:{host.ports[name]}"
        bots[name].send_signal(signal.SIGTERM)
        # At once, while the web server may not have noticed.
        held += await calls(host, five)

        async def closed(at: str = at) -> bool:
            return (await host.report("twilio", signed_by_twilio, at))[0] == 503

        await until("new calls to be refused", closed)
        stay = [one for one in held if one.bot == name]
        assert stay and bots[name].returncode is None, "it did not wait for its calls"
        heard += await hang_up(stay)
        held = [one for one in held if one.bot == other]
        assert await asyncio.wait_for(bots[name].wait(), PATIENCE) == 0, "it did not end well"
        bots[name] = await host.bot(name)
        await host.sends_to(name)
    return heard + await hang_up(held)


async def main() -> None:
    image, caddyfile, *carriers = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        async with Host(json.loads(image), Path(caddyfile).resolve(), Path(folder)) as host:
            a, b, _ = await asyncio.gather(host.bot("a"), host.bot("b"), refuses(host))
            print(json.dumps(await replace(host, carriers, {"a": a, "b": b})))


@asynccontextmanager
async def process(
    command: list[str], folder: str | Path, variables: dict[str, str], output: Any = sys.stderr
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process that does not outlive the block."""
    errors = sys.stderr if output is not asyncio.subprocess.DEVNULL else output
    one = await asyncio.create_subprocess_exec(
        *command, cwd=folder, env=os.environ | variables, stdout=output, stderr=errors
    )
    try:
        yield one
    finally:
        if one.returncode is None:
            one.kill()
            await one.wait()


async def until(what: str, is_so: Callable[[], Any]) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        found = is_so()
        if await found if asyncio.iscoroutine(found) else found:
            return
        assert time.monotonic() < end, f"waited too long for {what}"
        await asyncio.sleep(0.05)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


if __name__ == "__main__":
    asyncio.run(main())
