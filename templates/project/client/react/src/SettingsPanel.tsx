import { useSyncExternalStore } from "react";

import { CAMERA } from "./features";
import { useSession } from "./Providers";
import { OFFERED } from "./settings";

/** Choices, which are kept for the next visit. */
export function SettingsPanel() {
  const { session, now } = useSession();
  // A server that renders the page does not know the browser's abilities.
  const choosesSpeaker = useSyncExternalStore(never, canChooseSpeaker, () => false);
  return (
    <section id="settings" className="settings" popover="auto" aria-labelledby="settings-title">
      <h2 id="settings-title">Settings</h2>
      {OFFERED.length > 1 && (
        <label>
          Connection
          <select
            value={now.transport.key}
            disabled={now.phase !== "idle"}
            onChange={(event) => session.chooseTransport(event.target.value)}
          >
            {OFFERED.map(({ key, label }) => (
              <option key={key} value={key}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
      <Device kind="Microphone" devices={now.devices.microphones} chosen={now.microphone} onChoose={session.chooseMicrophone} />
      {CAMERA && now.transport.video && (
        <Device kind="Camera" devices={now.devices.cameras} chosen={now.camera} onChoose={session.chooseCamera} />
      )}
      {choosesSpeaker && (
        <Device kind="Speaker" devices={now.devices.speakers} chosen={now.speaker} onChoose={session.chooseSpeaker} />
      )}
      <label>
        Volume
        <input
          type="range"
          min="0"
          max="1"
          step="0.05"
          value={now.volume}
          onChange={(event) => session.setVolume(event.target.valueAsNumber)}
        />
      </label>
      <label className="check">
        <input
          type="checkbox"
          aria-describedby="push-hint"
          checked={now.talkMode === "push"}
          onChange={(event) => session.chooseTalkMode(event.target.checked ? "push" : "open")}
        />
        Push to talk
      </label>
      <p id="push-hint" className="hint">
        The bot hears you only while you hold the button or the space bar.
      </p>
      <button type="button" popoverTarget="settings" popoverTargetAction="hide">
        Done
      </button>
    </section>
  );
}

const never = () => () => undefined;

function canChooseSpeaker(): boolean {
  return "setSinkId" in HTMLMediaElement.prototype;
}

interface DeviceProps {
  kind: string;
  devices: MediaDeviceInfo[];
  chosen: string;
  onChoose: (id: string) => void;
}

function Device({ kind, devices, chosen, onChoose }: DeviceProps) {
  const known = devices.some(({ deviceId }) => deviceId === chosen);
  return (
    <label>
      {kind}
      <select value={known ? chosen : ""} onChange={(event) => onChoose(event.target.value)}>
        <option value="">System default</option>
        {devices.map(({ deviceId, label }, at) => (
          <option key={deviceId} value={deviceId}>
            {label || `${kind} ${at + 1}`}
          </option>
        ))}
      </select>
    </label>
  );
}
