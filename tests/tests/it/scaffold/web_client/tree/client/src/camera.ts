import type { Tracks } from "@pipecat-ai/client-js";
import { WavMediaManager } from "@pipecat-ai/small-webrtc-transport";

/** The media manager for sound, and a camera with it. The camera is switched on with the connection and darkened after that. */
export class CameraMediaManager extends WavMediaManager {
  readonly #deviceId: string;
  #track: MediaStreamTrack | undefined;

  constructor(deviceId: string) {
    super();
    this.#deviceId = deviceId;
  }

  override async connect(): Promise<void> {
    const stream = await navigator.mediaDevices.getUserMedia({
      video: this.#deviceId ? { deviceId: { exact: this.#deviceId } } : true,
    });
    this.#track = stream.getVideoTracks()[0];
    await super.connect();
  }

  override async disconnect(): Promise<void> {
    this.#track?.stop();
    this.#track = undefined;
    await super.disconnect();
  }

  override enableCam(enable: boolean): void {
    if (this.#track) this.#track.enabled = enable;
  }

  override get isCamEnabled(): boolean {
    return this.#track?.enabled ?? false;
  }

  override tracks(): Tracks {
    const { local, ...rest } = super.tracks();
    return { ...rest, local: this.#track ? { ...local, video: this.#track } : local };
  }
}
