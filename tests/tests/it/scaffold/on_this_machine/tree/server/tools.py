"""The functions that the language model may call: yours, beside these.

README.md says how to add one.
"""

from datetime import datetime
from zoneinfo import ZoneInfo

from pipecat.adapters.llm.schemas.direct_function import DirectFunction, tool_options
from pipecat.adapters.llm.schemas.function_schema import FunctionSchema
from pipecat.frames.frames import FunctionCallResultProperties
from pipecat.services.llm_service import FunctionCallParams

from session import hang_up


@tool_options(timeout_secs=10)
async def current_time(params: FunctionCallParams, timezone: str) -> None:
    """Look up the date and the time of day in a time zone.

    Args:
        timezone: The IANA name of the time zone, such as Europe/Lisbon.
    """
    try:
        now = datetime.now(ZoneInfo(timezone))
    except (KeyError, OSError, ValueError):
        error = f"{timezone} is not an IANA name; use the one of the nearest large city"
        await params.result_callback({"error": error})
    else:
        await params.result_callback({"now": f"{now:%A, %d %B %Y, %H:%M}"})


@tool_options(timeout_secs=10)
async def end_call(params: FunctionCallParams) -> None:
    """Hang up, with a goodbye. Call this when the user says goodbye or wants to stop."""
    quietly = FunctionCallResultProperties(run_llm=False)
    status = "hanging up, unless the user goes on talking"
    await params.result_callback({"status": status}, properties=quietly)
    await hang_up(params.pipeline_worker)


TOOLS: list[FunctionSchema | DirectFunction] = [current_time, end_call]
