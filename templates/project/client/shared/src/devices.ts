import { explainDevice, Problem } from "./problems";

/** The devices that the browser knows. They have names only after the first permission. */
export interface Devices {
  microphones: MediaDeviceInfo[];
  cameras: MediaDeviceInfo[];
  speakers: MediaDeviceInfo[];
}

export async function listDevices(): Promise<Devices> {
  // Browsers hide `mediaDevices` from pages that are neither local nor encrypted; a server that renders the page has none.
  const all = globalThis.isSecureContext ? await navigator.mediaDevices.enumerateDevices() : [];
  const of = (kind: MediaDeviceKind) => all.filter((device) => device.kind === kind && device.deviceId !== "");
  return { microphones: of("audioinput"), cameras: of("videoinput"), speakers: of("audiooutput") };
}

export function onDevicesChanged(listener: () => void): void {
  if (globalThis.isSecureContext) navigator.mediaDevices.addEventListener("devicechange", listener);
}

/** Asks for permission and makes sure that the device opens. */
export async function tryDevice(kind: "audio" | "video", deviceId: string): Promise<void> {
  const device = kind === "audio" ? "microphone" : "camera";
  if (!window.isSecureContext) {
    throw new Problem(`Browsers give the ${device} only to pages on localhost or with https. Open this page at such an address.`);
  }
  try {
    const stream = await navigator.mediaDevices.getUserMedia({
      [kind]: deviceId ? { deviceId: { exact: deviceId } } : true,
    });
    for (const track of stream.getTracks()) track.stop();
  } catch (error) {
    throw new Problem(explainDevice(error, device));
  }
}
