"""Traces of the sessions, for an OpenTelemetry collector."""

import json
import os
from functools import cache
from threading import Thread
from typing import Any

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, Status
from pipecat.frames.frames import (
    FunctionCallCancelFrame,
    FunctionCallInProgressFrame,
    FunctionCallResultFrame,
    StartFrame,
)
from pipecat.observers.base_observer import BaseObserver, FramePushed
from pipecat.utils.tracing.tracing_context import TracingContext

# The name of this bot in the traces.
NAME = "everything"
# The attributes that are words, but nothing that was said, heard or looked up.
WORDS = """
    conversation.id conversation.type turn.type service.operation voice_id language
    gen_ai.operation.name gen_ai.output.type gen_ai.provider.name gen_ai.request.model
    gen_ai.tool.name gen_ai.tool.call.id
""".split()


def tracing(session_id: str | None) -> dict[str, Any]:
    """Return the arguments with which a session is traced: none where no collector is set."""
    if not os.getenv("OTEL_EXPORTER_OTLP_ENDPOINT"):
        return {}
    start_tracing()
    return {
        "enable_tracing": True,
        "conversation_id": session_id,
        "observers": [ToolSpans()],
    }


@cache
def start_tracing() -> None:
    """Send spans to the collector, from now on and for all sessions of this process."""
    provider = TracerProvider(resource=Resource.create({"service.name": NAME}))
    provider.add_span_processor(Spans(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)


class Spans(BatchSpanProcessor):
    """Sends spans in batches, and what is left at the end of each session."""

    def on_end(self, span: ReadableSpan) -> None:
        """Take a span that is over, without the text of the conversation unless it is wanted."""
        text = os.getenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "")
        super().on_end(span if text.lower() == "true" else without_text(span))
        if span.name == "conversation":
            Thread(target=self.force_flush).start()


def without_text(span: ReadableSpan) -> ReadableSpan:
    """Return the span with its times and numbers, but without the text of the conversation."""
    attributes = (span.attributes or {}).items()
    return ReadableSpan(
        name=span.name,
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes={
            name: value
            for name, value in attributes
            if name in WORDS or isinstance(value, int | float)
        },
        kind=span.kind,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


class ToolSpans(BaseObserver):
    """Makes a span of each call of a tool; the framework makes those of the services."""

    def __init__(self) -> None:
        super().__init__(observe_every_push=False)
        self._session = TracingContext()
        self._calls: dict[str, Span] = {}

    async def on_push_frame(self, data: FramePushed) -> None:
        """Begin or end a span."""
        frame = data.frame
        if isinstance(frame, StartFrame):
            self._session = frame.tracing_context or self._session
        elif isinstance(frame, FunctionCallInProgressFrame):
            if frame.tool_call_id not in self._calls:
                self._calls[frame.tool_call_id] = self.begin(frame)
        elif isinstance(frame, FunctionCallResultFrame | FunctionCallCancelFrame):
            span = self._calls.pop(frame.tool_call_id, None)
            if span and isinstance(frame, FunctionCallResultFrame):
                span.set_attribute("output", json.dumps(frame.result, default=str))
            if span:
                span.end()

    def begin(self, frame: FunctionCallInProgressFrame) -> Span:
        """Return a new span for a call, in the turn that it belongs to."""
        session = self._session
        return trace.get_tracer(__name__).start_span(
            f"execute_tool {frame.function_name}",
            context=session.get_turn_context() or session.get_conversation_context(),
            attributes={
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": frame.function_name,
                "gen_ai.tool.call.id": frame.tool_call_id,
                "input": json.dumps(frame.arguments, default=str),
            },
        )
