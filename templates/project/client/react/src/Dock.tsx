import { useEffect, useRef } from "react";

import { CAMERA } from "./features";
import { holdToTalk } from "./hold";
import { Icon } from "./Icon";
import { useSession } from "./Providers";
import { SettingsPanel } from "./SettingsPanel";

/** The controls of the conversation. */
export function Dock() {
  const { session, now } = useSession();
  const live = now.phase === "ready" || now.phase === "reconnecting";
  return (
    <div className="dock">
      {/* One button through all phases: it keeps its place and its focus. */}
      <button className="primary" type="button" aria-disabled={now.phase === "closing"} onClick={session.press}>
        {now.phase === "idle" ? "Connect" : now.phase === "connecting" ? "Cancel" : "Disconnect"}
      </button>
      {live && now.talkMode === "push" && <Hold />}
      {live && now.talkMode === "open" && (
        <Toggle name="Mute microphone" on={!now.microphoneOn} icon="microphone" onClick={session.switchMicrophone} />
      )}
      {live && CAMERA && now.transport.video && (
        <Toggle name="Turn camera off" on={!now.cameraOn} icon="camera" onClick={session.switchCamera} />
      )}
      <button className="icon" type="button" aria-label="Settings" popoverTarget="settings">
        <Icon name="settings" />
      </button>
      <SettingsPanel />
    </div>
  );
}

function Hold() {
  const { session } = useSession();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (button.current) return holdToTalk(button.current, session.hold);
  }, [session]);
  return (
    <button ref={button} className="hold" type="button">
      Hold to talk
    </button>
  );
}

interface ToggleProps {
  name: string;
  on: boolean;
  icon: "microphone" | "camera";
  onClick: () => void;
}

function Toggle({ name, on, icon, onClick }: ToggleProps) {
  return (
    <button className="icon" type="button" aria-label={name} aria-pressed={on} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}
