// The types of the transport packages name this package, which they do not bring along. These are the parts that are used here.
declare module "@pipecat-ai/transport-lib" {
  import type { Tracks } from "@pipecat-ai/client-js";

  export abstract class MediaManager {
    connect(): Promise<void>;
    disconnect(): Promise<void>;
    enableCam(enable: boolean): void;
    get isCamEnabled(): boolean;
    tracks(): Tracks;
  }

  export class WavMediaManager extends MediaManager {}

  export class DailyMediaManager extends MediaManager {}
}
