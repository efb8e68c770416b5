import { usePipecatClientMicControl, usePipecatClientTransportState, usePipecatConversation } from "@pipecat-ai/client-react";

export function Probe() {
  const state = usePipecatClientTransportState();
  const { messages } = usePipecatConversation();
  const { isMicEnabled } = usePipecatClientMicControl();
  return (
    <p id="probe" hidden>
      {`${state}, ${messages.length} messages, microphone ${isMicEnabled ? "on" : "off"}`}
    </p>
  );
}
