import { CAMERA } from "./features";
import type { Session } from "./session";
import type { SessionState } from "./state";

export function Buttons({ session, now }: { session: Session; now: SessionState }) {
  const idle = now.phase === "idle";
  const ready = now.phase === "ready";
  return (
    <div className="buttons">
      {/* One button through all phases: it keeps its place and its focus. */}
      <button
        className="primary"
        type="button"
        aria-disabled={now.phase === "closing"}
        onClick={session.press}
      >
        {idle ? "Connect" : now.phase === "connecting" ? "Cancel" : "Disconnect"}
      </button>
      {ready && (
        <button type="button" onClick={session.switchMicrophone}>
          {now.microphoneOn ? "Mute microphone" : "Unmute microphone"}
        </button>
      )}
      {ready && CAMERA && now.transport.video && (
        <button type="button" onClick={session.switchCamera}>
          {now.cameraOn ? "Turn camera off" : "Turn camera on"}
        </button>
      )}
    </div>
  );
}
