import type { Participant } from "@pipecat-ai/client-js";

import { OwnMedia } from "./media";

const BOT: Participant = { id: "bot", name: "bot", local: false };
const CAPTURE_RATE = 16_000;
const PLAY_RATE = 24_000;

// Both run in the browser's audio thread. Samples are signed 16-bit integers.
const PROCESSORS = `
registerProcessor("capture", class extends AudioWorkletProcessor {
  constructor({ processorOptions: { rate } }) {
    super();
    this.step = sampleRate / rate;
    this.start();
    this.position = this.sum = this.count = 0;
  }
  start() {
    this.chunk = new Int16Array(512);
    this.filled = 0;
  }
  process([[samples]]) {
    for (let at = 0; at < (samples ? samples.length : 128); at++) {
      this.sum += samples ? samples[at] : 0;
      this.count++;
      if (++this.position < this.step) continue;
      this.position -= this.step;
      const sample = Math.max(-1, Math.min(1, this.sum / this.count));
      this.sum = this.count = 0;
      this.chunk[this.filled++] = sample * 0x7fff;
      if (this.filled === this.chunk.length) {
        this.port.postMessage(this.chunk.buffer, [this.chunk.buffer]);
        this.start();
      }
    }
    return true;
  }
});
registerProcessor("play", class extends AudioWorkletProcessor {
  constructor() {
    super();
    this.clear();
    this.port.onmessage = ({ data }) => {
      if (data === "clear") return this.clear();
      this.queue.push(data);
      this.queued += data.length;
    };
  }
  clear() {
    this.queue = [];
    this.queued = this.offset = this.waited = 0;
    this.playing = false;
  }
  process(_, [[samples]]) {
    // A small buffer at the start prevents stutter when a chunk is late.
    if (!this.playing && this.queued > 0) {
      this.waited += samples.length;
      this.playing = this.queued > 0.06 * sampleRate || this.waited > 0.1 * sampleRate;
    }
    for (let at = 0; this.playing && at < samples.length; at++) {
      const [chunk] = this.queue;
      if (!chunk) {
        this.clear();
        break;
      }
      samples[at] = chunk[this.offset++] / 0x8000;
      this.queued--;
      if (this.offset === chunk.length) {
        this.queue.shift();
        this.offset = 0;
      }
    }
    return true;
  }
});
`;

/** Media for transports that send audio as samples, not as tracks. */
export class SampledMedia extends OwnMedia {
  #capture: AudioContext | undefined;
  #source: MediaStreamAudioSourceNode | undefined;
  #worklet: AudioWorkletNode | undefined;
  #player: AudioContext | undefined;
  #voice: MediaStreamTrack | undefined;
  #queue: MessagePort | undefined;
  #heard: (samples: ArrayBuffer) => void = () => undefined;
  #closed = false;

  setUserAudioCallback(heard: (samples: ArrayBuffer) => void): void {
    this.#heard = heard;
  }

  override async connect(): Promise<void> {
    await Promise.all([this.#startCapture(), this.#startPlayer()]);
    // Opened while the user cancelled.
    if (this.#closed) this.#release();
    await super.connect();
    if (this.#voice) this.callbacks.onTrackStarted?.(this.#voice, BOT);
  }

  override close(): void {
    this.#closed = true;
    super.close();
    this.#release();
  }

  override async disconnect(): Promise<void> {
    if (this.#voice) this.callbacks.onTrackStopped?.(this.#voice, BOT);
    this.close();
    await super.disconnect();
  }

  override use(kind: "audio" | "video", device: MediaStreamTrack): void {
    super.use(kind, device);
    if (kind !== "audio" || !this.#capture || !this.#worklet) return;
    this.#source?.disconnect();
    this.#source = this.#capture.createMediaStreamSource(new MediaStream([device]));
    this.#source.connect(this.#worklet);
  }

  override userStartedSpeaking(): Promise<void> {
    this.#queue?.postMessage("clear");
    return super.userStartedSpeaking();
  }

  bufferBotAudio(samples: ArrayBuffer | Int16Array): Int16Array {
    const chunk = samples instanceof Int16Array ? samples : new Int16Array(samples);
    this.#queue?.postMessage(chunk);
    return chunk;
  }

  async #startCapture(): Promise<void> {
    if (!this.microphone) return;
    const stream = new MediaStream([this.microphone]);
    let context = new AudioContext({ sampleRate: CAPTURE_RATE });
    this.#capture = context;
    try {
      this.#source = context.createMediaStreamSource(stream);
    } catch {
      // Firefox connects a microphone only to a context of the same sample rate; the processor resamples.
      void context.close();
      context = new AudioContext();
      this.#capture = context;
      this.#source = context.createMediaStreamSource(stream);
    }
    await context.audioWorklet.addModule(processors());
    if (context.state === "closed") return;
    const worklet = new AudioWorkletNode(context, "capture", { numberOfOutputs: 0, processorOptions: { rate: CAPTURE_RATE } });
    worklet.port.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => this.#heard(data);
    this.#worklet = worklet;
    this.#source.connect(worklet);
    await context.resume();
  }

  async #startPlayer(): Promise<void> {
    const context = new AudioContext({ sampleRate: PLAY_RATE });
    this.#player = context;
    await context.audioWorklet.addModule(processors());
    if (context.state === "closed") return;
    const worklet = new AudioWorkletNode(context, "play", { numberOfInputs: 0, outputChannelCount: [1] });
    const destination = context.createMediaStreamDestination();
    worklet.connect(destination);
    this.#queue = worklet.port;
    this.#voice = destination.stream.getAudioTracks()[0];
    await context.resume();
  }

  #release(): void {
    this.#voice?.stop();
    this.#source?.disconnect();
    for (const context of [this.#capture, this.#player]) {
      if (context && context.state !== "closed") void context.close();
    }
  }
}

let address: string | undefined;

function processors(): string {
  address ??= URL.createObjectURL(new Blob([PROCESSORS], { type: "text/javascript" }));
  return address;
}
