/** The user's choices, stored for the next visit. */
export interface Remembered {
  transport: string;
  microphone: string;
  camera: string;
  speaker: string;
  volume: number;
  talkMode: string;
}

const KEY = "voice-client";

export function read(): Partial<Remembered> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof kept === "object" && kept !== null ? kept : {};
  } catch {
    return {};
  }
}

/** Browsers may block storage; then nothing is remembered. */
export function save(change: Partial<Remembered>): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...read(), ...change }));
  } catch {
    return;
  }
}
