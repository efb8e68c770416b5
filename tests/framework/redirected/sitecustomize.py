"""Sends what a program asks of WhatsApp's API to a stand-in.

For that, this folder is on `PYTHONPATH`, and the stand-in's address is in the environment.
"""

import os

import aiohttp

WHATSAPP = "https://graph.facebook.com"
request = aiohttp.ClientSession._request


async def redirected(session, method, url, **options):
    return await request(session, method, str(url).replace(WHATSAPP, os.environ["STAND_IN_WHATSAPP"]), **options)


aiohttp.ClientSession._request = redirected
