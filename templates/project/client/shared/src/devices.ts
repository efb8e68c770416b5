import { explainDevice, Problem } from "./problems";

/** Lists the browser's devices. They have names only after the first permission. */
export interface Devices {
  microphones: MediaDeviceInfo[];
  cameras: MediaDeviceInfo[];
  speakers: MediaDeviceInfo[];
}

export const NO_DEVICES: Devices = { microphones: [], cameras: [], speakers: [] };

export async function listDevices(): Promise<Devices> {
  // Browsers offer `mediaDevices` only to local and encrypted pages.
  const all = globalThis.isSecureContext ? await navigator.mediaDevices.enumerateDevices() : [];
  const of = (kind: MediaDeviceKind) => all.filter((device) => device.kind === kind && device.deviceId !== "");
  return { microphones: of("audioinput"), cameras: of("videoinput"), speakers: of("audiooutput") };
}

export function onDevicesChanged(listener: () => void): void {
  if (globalThis.isSecureContext) navigator.mediaDevices.addEventListener("devicechange", listener);
}

/** Opens a device, or the default one if the chosen one is gone. */
export async function openDevice(kind: "audio" | "video", deviceId: string): Promise<MediaStreamTrack> {
  const device = kind === "audio" ? "microphone" : "camera";
  if (!globalThis.isSecureContext) {
    throw new Problem(`Browsers give the ${device} only to pages on localhost or with https. Open this page at such an address.`);
  }
  try {
    return await open(kind, deviceId).catch((error: unknown) => {
      if (deviceId === "" || !isMissing(error)) throw error;
      return open(kind, "");
    });
  } catch (error) {
    throw explainDevice(error, device);
  }
}

async function open(kind: "audio" | "video", deviceId: string): Promise<MediaStreamTrack> {
  const stream = await navigator.mediaDevices.getUserMedia({ [kind]: deviceId ? { deviceId: { exact: deviceId } } : true });
  const [track] = stream.getTracks();
  if (!track) throw new DOMException("no track", "NotFoundError");
  return track;
}

function isMissing(error: unknown): boolean {
  return error instanceof DOMException && ["NotFoundError", "OverconstrainedError"].includes(error.name);
}
