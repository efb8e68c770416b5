"""Type the other arguments to the bot at the first, one after each answer, and print the conversation."""

import asyncio
import json
import sys

from pipecat.evals.persona import END_CALL_FUNCTION
from pipecat.evals.simulation import EvalSimulationScenario
from pipecat.evals.simulation_session import EvalSimulationSession
from pipecat.frames.frames import (
    FunctionCallFromLLM,
    LLMContextFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
)
from pipecat.services.llm_service import LLMService

WORDS = iter(sys.argv[2:])


class Typist(LLMService):
    """Stands in for the model of a simulated caller. It hangs up when the bot has answered the last words."""

    async def process_frame(self, frame, direction):
        """Answer the bot with the next words."""
        await super().process_frame(frame, direction)
        if not isinstance(frame, LLMContextFrame):
            await self.push_frame(frame, direction)
        elif words := next(WORDS, None):
            for it in LLMFullResponseStartFrame(), LLMTextFrame(words), LLMFullResponseEndFrame():
                await self.push_frame(it)
        else:
            await self.run_function_calls([FunctionCallFromLLM(END_CALL_FUNCTION, "end", {}, frame.context)])


scenario = EvalSimulationScenario(name="say", persona="-", goal="-", success="-", max_turns=len(sys.argv))
result = asyncio.run(EvalSimulationSession(scenario, sys.argv[1], persona_llm=Typist(), judge=None).run())
for it in result.conversation:
    call = f"{it['name']} {json.dumps(it['arguments'])}" if it["role"] == "tool_call" else ""
    print({"user": "you:  ", "assistant": "bot:  ", "tool_call": "call: "}[it["role"]] + (call or it["content"]))
endings = {"end_call": None, "bot": "the bot hung up", "silence": f"no answer within {scenario.max_silence_s:.0f} s"}
ending = result.error or endings.get(result.ended_by, result.ended_by)
if ending:
    print(ending)
print("\x1e" + json.dumps({"conversation": result.conversation, "ending": ending}), flush=True)
sys.exit(bool(result.error or list(WORDS)) or result.ended_by not in ("end_call", "bot"))
