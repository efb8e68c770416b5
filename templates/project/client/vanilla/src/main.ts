import "./style.css";

import type { Turn } from "./conversation";
import { CAMERA, PICTURE } from "./features";
import { Session } from "./session";
import { OFFERED } from "./settings";

const session = new Session();

const status = element("status", HTMLElement);
const problem = element("problem", HTMLElement);
const connect = element("connect", HTMLButtonElement);
const mute = element("mute", HTMLButtonElement);
const darken = element("darken", HTMLButtonElement);
const pictures = element("pictures", HTMLElement);
const botVideo = element("bot-video", HTMLVideoElement);
const ownVideo = element("own-video", HTMLVideoElement);
const log = element("log", HTMLElement);
const turns = element("turns", HTMLElement);
const silence = element("silence", HTMLElement);
const transport = element("transport", HTMLSelectElement);
const microphone = element("microphone", HTMLSelectElement);
const camera = element("camera", HTMLSelectElement);
const cameraField = element("camera-field", HTMLElement);

element("transport-field", HTMLElement).hidden = OFFERED.length < 2;
transport.replaceChildren(...OFFERED.map(({ key, label }) => new Option(label, key)));

connect.addEventListener("click", session.press);
mute.addEventListener("click", session.switchMicrophone);
darken.addEventListener("click", session.switchCamera);
transport.addEventListener("change", () => session.chooseTransport(transport.value));
microphone.addEventListener("change", () => session.chooseMicrophone(microphone.value));
camera.addEventListener("change", () => session.chooseCamera(camera.value));

session.subscribe(show);
show();

function show(): void {
  const now = session.state();
  const idle = now.phase === "idle";
  const ready = now.phase === "ready";
  const withCamera = CAMERA && now.transport.video;

  document.body.dataset["phase"] = now.phase;
  say(status, now.status);
  say(problem, now.command ? `${now.problem} ${now.command}` : now.problem);
  // The button keeps its place and its focus through all phases.
  say(connect, idle ? "Connect" : now.phase === "connecting" ? "Cancel" : "Disconnect");
  connect.ariaDisabled = String(now.phase === "closing");

  mute.hidden = !ready;
  say(mute, now.microphoneOn ? "Mute microphone" : "Unmute microphone");
  darken.hidden = !ready || !withCamera;
  say(darken, now.cameraOn ? "Turn camera off" : "Turn camera on");

  play(botVideo, PICTURE ? now.botVideo : null);
  play(ownVideo, now.ownVideo);
  botVideo.hidden = botVideo.srcObject === null;
  ownVideo.hidden = ownVideo.srcObject === null;
  pictures.hidden = botVideo.hidden && ownVideo.hidden;

  showTurns(now.turns);
  silence.hidden = now.turns.length > 0;

  transport.value = now.transport.key;
  transport.disabled = !idle;
  showDevices(microphone, now.devices.microphones, now.microphone, "Microphone");
  cameraField.hidden = !withCamera;
  showDevices(camera, now.devices.cameras, now.camera, "Camera");
}

/** Changes only what is new, so that a screen reader says nothing twice. */
function showTurns(said: Turn[]): void {
  while (turns.children.length > said.length) turns.lastElementChild?.remove();
  for (const [at, turn] of said.entries()) {
    let item = turns.children[at];
    if (!item) {
      item = document.createElement("li");
      item.append(document.createElement("b"), document.createElement("p"));
      turns.append(item);
    }
    item.className = turn.who;
    say(item.children[0], turn.who === "user" ? "You" : "Bot");
    say(item.children[1], turn.text);
  }
  log.scrollTop = log.scrollHeight;
}

function showDevices(select: HTMLSelectElement, devices: MediaDeviceInfo[], chosen: string, kind: string): void {
  const options: [string, string][] = [["", "The browser's choice"]];
  for (const [at, { deviceId, label }] of devices.entries()) options.push([deviceId, label || `${kind} ${at + 1}`]);
  const shown = Array.from(select.options, (option) => `${option.value}\n${option.text}`);
  if (shown.join("\n") !== options.map((option) => option.join("\n")).join("\n")) {
    select.replaceChildren(...options.map(([id, label]) => new Option(label, id)));
  }
  select.value = devices.some(({ deviceId }) => deviceId === chosen) ? chosen : "";
}

function play(media: HTMLMediaElement, track: MediaStreamTrack | null): void {
  const playing = media.srcObject instanceof MediaStream ? media.srcObject.getTracks()[0] : null;
  if (playing !== track) media.srcObject = track ? new MediaStream([track]) : null;
}

function say(element: Element | undefined, text: string): void {
  if (element && element.textContent !== text) element.textContent = text;
}

function element<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`index.html has no "${id}"`);
  return found;
}
