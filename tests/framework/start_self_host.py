"""Starts sessions of clients at two bots behind their web server: `start_self_host.py IMAGE CADDYFILE`.

IMAGE is as for `drive_self_host.py`. Clients talk over WebSockets and WebRTC, several at once, so that both bots have
some. Daily's API is a stand-in, and a room is only asked for. Whoever has no valid ticket or key is refused. It prints
as JSON what each client heard, and what Daily was asked.
"""

import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from aiohttp import web

from drive_self_host import PATIENCE, Host, free_port, process, until

AT_ONCE = 4


async def talks(host: Host, way: str) -> list[dict[str, Any]]:
    """What each of several clients heard at once."""
    script = Path(__file__).with_name("talk_to_deployed.py")
    command = [sys.executable, str(script), way, f"https://{host.name}", "--start", "--at-once", str(AT_ONCE)]
    with tempfile.TemporaryFile() as said:
        variables = {"SSL_CERT_FILE": str(host.certificate)}
        async with process(command, host.folder, variables, output=said) as talking:
            assert await asyncio.wait_for(talking.wait(), 2 * PATIENCE) == 0
        said.seek(0)
        return json.load(said)


async def refuses(host: Host) -> None:
    http = f"http://127.0.0.1:{host.ports['c']}"

    async def status(method: str, path: str, document: Any, key: str | None = "start-key") -> int:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        async with host.client.request(method, http + path, json=document, headers=headers) as reply:
            return reply.status

    async def start(transport: str) -> dict[str, Any]:
        headers = {"Authorization": "Bearer start-key"}
        async with host.client.post(f"{http}/start", json={"transport": transport}, headers=headers) as reply:
            return await reply.json()

    await host.bot("c", START_KEY="start-key", ALLOWED_ORIGINS="https://example.com")
    for wrong in (None, "", "start-kez"):
        assert await status("POST", "/start", {"transport": "webrtc"}, wrong) == 401, wrong
    assert await status("POST", "/start", {"transport": "twilio"}) == 400
    assert await status("POST", "/start", ["webrtc"]) == 400
    assert await status("POST", "/start", {"transport": "webrtc", "body": 70_000 * "a"}) == 413
    used = (await start("websocket"))["wsUrl"].rsplit("/", 1)[-1]
    # A ticket is for one transport, and each try uses it up.
    assert await status("POST", f"/sessions/{used}/api/offer", {"sdp": "", "type": "offer"}) == 404
    assert await host.refusal(f"{http.replace('http', 'ws')}/ws-client/{used}") == 403
    session = f"/sessions/{(await start('webrtc'))['sessionId']}/api/offer"
    assert await status("PATCH", session, {"pc_id": None, "candidates": []}) == 404
    assert await status("POST", session, {"type": "offer"}) == 400
    for offer in ({"sdp": "", "type": "offer"}, {"sdp": "", "type": "offer", "pc_id": ""}):
        assert await status("POST", session, offer) == 404, offer
    for origin, allowed in (("https://example.com", "https://example.com"), ("https://other.example", None)):
        async with host.client.get(f"{http}/health", headers={"Origin": origin}) as reply:
            assert reply.headers.get("Access-Control-Allow-Origin") == allowed, origin
    # A page needs no leave to send plain text, which is JSON all the same.
    other = {"Origin": "https://other.example", "Content-Type": "text/plain"}
    async with host.client.post(f"{http}/start", data='{"transport": "webrtc"}', headers=other) as reply:
        assert reply.status == 403, "a page that may not start sessions"


async def daily(asked: list[dict[str, Any]]) -> tuple[web.AppRunner, str]:
    """A stand-in for Daily's API."""

    async def answer(request: web.Request) -> web.Response:
        document = await request.json()
        asked.append({"path": request.path, **document})
        if request.path == "/v1/meeting-tokens":
            return web.json_response({"token": f"token-{len(asked)}"})
        room = {"id": "1", "api_created": True, "created_at": "2026-01-01", "config": document["properties"]}
        url = f"https://example.daily.co/{document['name']}"
        return web.json_response(room | {"name": document["name"], "privacy": document["privacy"], "url": url})

    app = web.Application()
    app.router.add_post("/v1/{kind}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    port = free_port()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    return runner, f"http://127.0.0.1:{port}/v1"


async def main() -> None:
    image, caddyfile = sys.argv[1:]
    asked: list[dict[str, Any]] = []
    runner, address = await daily(asked)
    with tempfile.TemporaryDirectory() as folder:
        async with Host(json.loads(image), Path(caddyfile).resolve(), Path(folder)) as host:
            bots = [host.bot(name, DAILY_API_URL=address) for name in "ab"]
            await asyncio.gather(*bots, refuses(host))
            for name in "ab":

                async def is_sent(name: str = name) -> bool:
                    async with host.client.post(f"https://{host.name}/start", json={"transport": "webrtc"}) as reply:
                        return f'"sessionId":"{name}-' in await reply.text()

                await until(f"sessions at bot {name}", is_sent)
            heard = {way: await talks(host, way) for way in ("websocket", "webrtc")}
            began = time.time()
            async with host.client.post(f"https://{host.name}/start", json={"transport": "daily"}) as reply:
                room = await reply.json()
            for one in asked:
                one["properties"]["exp"] = round(one["properties"]["exp"] - began, -2)
            print(json.dumps({"heard": heard, "room": room, "asked": asked}))
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(main())
