import { CAMERA } from "./features";
import type { Session } from "./session";
import { OFFERED } from "./settings";
import type { SessionState } from "./state";

export function Settings({ session, now }: { session: Session; now: SessionState }) {
  const idle = now.phase === "idle";
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">Settings</h2>
      <div className="settings">
        {OFFERED.length > 1 && (
          <label>
            Connection
            <select
              value={now.transport.key}
              disabled={!idle}
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
        <Device
          kind="Microphone"
          devices={now.devices.microphones}
          chosen={now.microphone}
          onChoose={session.chooseMicrophone}
        />
        {CAMERA && now.transport.video && (
          <Device
            kind="Camera"
            devices={now.devices.cameras}
            chosen={now.camera}
              onChoose={session.chooseCamera}
          />
        )}
      </div>
    </section>
  );
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
        <option value="">The browser&apos;s choice</option>
        {devices.map(({ deviceId, label }, at) => (
          <option key={deviceId} value={deviceId}>
            {label || `${kind} ${at + 1}`}
          </option>
        ))}
      </select>
    </label>
  );
}
