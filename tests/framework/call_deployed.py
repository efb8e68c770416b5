"""Has a deployed bot called, or call: `call_deployed.py TRANSPORT ADDRESS [--folder FOLDER] [--service [--numbers N]]`.

The project's own web server is told of a call, or asked for one, makes a room and has the hosting service start the
bot. With `--service`, and for people in a browser, the hosting service itself makes the room. Both are at ADDRESS: see
`deployed_app.py`. Once the session is over, what happened is printed as JSON.
"""

import argparse
import json
import time
import urllib.request
from pathlib import Path
from typing import Any

from drive_call_server import DAILY_CALL, DIALOUT_KEY, KINDS, NUMBER, TWILIO_CALL, Driver, form, running, signed

PATIENCE = 120.0
# A public API key of the organization that the bot belongs to.
KEY = "pk_stand_in"


def told(transport: str) -> tuple[bytes, dict[str, str]]:
    """The request of whoever brings a call to the web server, or wants one."""
    match transport:
        case "hosted_rtc_pstn_dialin":
            return signed(DAILY_CALL, str(int(time.time())))
        case "carrier_a_hosted_rtc_sip_dialin":
            return form("/call", TWILIO_CALL)
        case _:
            asked = {"to": NUMBER, "data": {"name": "Ada"}}
            return json.dumps(asked).encode(), {"Authorization": f"Bearer {DIALOUT_KEY}"}


def through_server(transport: str, folder: Path, address: str) -> None:
    _, path, variables = KINDS[transport]
    variables = variables | {
        "DAILY_API_KEY": "daily-key",
        "DAILY_API_URL": f"{address}/rest/api.daily.co/v1",
        "BOT_START_URL": f"{address}/v1/public/bot/start",
        "BOT_START_KEY": KEY,
        "TRANSFER_NUMBER": "+15550199",
    }
    with running(folder, variables) as port:
        status, text = Driver(port).send("POST", path, *told(transport))
        assert status in (200, 202), f"{status} {text}"


def through_service(transport: str, address: str, numbers: int) -> None:
    """As the hosting service documents it."""
    if transport == "hosted_rtc":
        body, properties = {}, {}
    elif transport.endswith("dialin"):
        settings = {"call_id": "call-1", "call_domain": "domain-1", "From": "+15550100", "To": "+15550101"}
        keys = {"daily_api_key": "service-key", "daily_api_url": "https://api.daily.co/v1"}
        body, properties = {"dialin_settings": settings} | keys, {"sip": {"sip_mode": "dial-in"}}
    else:
        body, properties = {"dialout_settings": [{"phoneNumber": NUMBER}] * numbers}, {"enable_dialout": True}
    wanted = {"createDailyRoom": True, "dailyRoomProperties": properties, "body": body}
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    url = f"{address}/v1/public/bot/start"
    urllib.request.urlopen(urllib.request.Request(url, json.dumps(wanted).encode(), headers), timeout=30).close()


def world(address: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{address}/world", timeout=30) as reply:
        return json.load(reply)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("transport", choices=["hosted_rtc", *KINDS])
    parser.add_argument("address", help="http://127.0.0.1:PORT")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--service", action="store_true")
    parser.add_argument("--numbers", type=int, default=1, help="how many numbers the service is to call")
    given = parser.parse_args()
    before = len(world(given.address)["sessions"])
    if given.service or given.transport == "hosted_rtc":
        through_service(given.transport, given.address, given.numbers)
    else:
        through_server(given.transport, given.folder, given.address)
    deadline = time.monotonic() + PATIENCE
    happened = world(given.address)
    while len(happened["sessions"]) == before or not happened["sessions"][-1]["over"]:
        assert time.monotonic() < deadline, f"the session does not end: {happened}"
        time.sleep(0.1)
        happened = world(given.address)
    print(json.dumps(happened))


if __name__ == "__main__":
    main()
