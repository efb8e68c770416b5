// The transport package's types refer to this package but do not depend on it. These are the parts that are used here.
declare module "@pipecat-ai/transport-lib" {
  import type { PipecatClientOptions, Tracks } from "@pipecat-ai/client-js";

  export interface MediaManager {
    setClientOptions(options: PipecatClientOptions): void;
    initialize(): Promise<void>;
    connect(): Promise<void>;
    disconnect(): Promise<void>;
    enableMic(enable: boolean): void;
    enableCam(enable: boolean): void;
    readonly isMicEnabled: boolean;
    readonly isCamEnabled: boolean;
    readonly isSharingScreen: boolean;
    readonly supportsScreenShare: boolean;
    tracks(): Tracks;
  }

  export class WavMediaManager {}

  export class DailyMediaManager {}
}
