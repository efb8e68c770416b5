"""Sends what a program asks of the APIs of WhatsApp or Twilio, or of OpenAI's speech-to-speech API, to a stand-in.

For that, this folder is on `PYTHONPATH`, and the stand-in's address is in the environment. Other programs are left
alone.
"""

import os

WHATSAPP = "https://graph.facebook.com"
TWILIO = "https://api.twilio.com"
REALTIME = "wss://api.openai.com"


def redirect_requests(api, address):
    import aiohttp

    request = aiohttp.ClientSession._request

    async def redirected(session, method, url, **options):
        return await request(session, method, str(url).replace(api, address), **options)

    aiohttp.ClientSession._request = redirected


def redirect_sockets(address):
    try:
        import websockets.asyncio.client as client
    except ImportError:  # A program of another environment.
        return

    class Redirected(client.connect):
        def __init__(self, uri, **options):
            super().__init__(uri.replace(REALTIME, address), **options)

    client.connect = Redirected


if "STAND_IN_WHATSAPP" in os.environ:
    redirect_requests(WHATSAPP, os.environ["STAND_IN_WHATSAPP"])
if "STAND_IN_TWILIO" in os.environ:
    redirect_requests(TWILIO, os.environ["STAND_IN_TWILIO"])
if "STAND_IN_REALTIME" in os.environ:
    redirect_sockets(os.environ["STAND_IN_REALTIME"])
