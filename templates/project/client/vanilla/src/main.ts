import "./style.css";

import { CAMERA, PICTURE } from "./features";
import { followEnd } from "./follow";
import { holdToTalk } from "./hold";
import { showLevels } from "./levels";
import { element, play, say, showDevices } from "./page";
import type { Problem } from "./problems";
import { Session } from "./session";
import { IN_DEVELOPMENT, OFFERED } from "./settings";
import { showTurns } from "./turns";

const session = new Session();

const page = element("page", HTMLElement);
const status = element("status", HTMLElement);
const problem = element("problem", HTMLElement);
const words = element("words", HTMLElement);
const cause = element("cause", HTMLDetailsElement);
const causeWords = element("cause-words", HTMLElement);
const command = element("command", HTMLElement);
const again = element("again", HTMLButtonElement);
const connect = element("connect", HTMLButtonElement);
const hold = element("hold", HTMLButtonElement);
const mute = element("mute", HTMLButtonElement);
const darken = element("darken", HTMLButtonElement);
const pictures = element("pictures", HTMLElement);
const botVideo = element("bot-video", HTMLVideoElement);
const ownVideo = element("own-video", HTMLVideoElement);
const clear = element("clear", HTMLButtonElement);
const turns = element("turns", HTMLElement);
const silence = element("silence", HTMLElement);
const message = element("message", HTMLInputElement);
const send = element("send", HTMLButtonElement);
const transport = element("transport", HTMLSelectElement);
const microphone = element("microphone", HTMLSelectElement);
const camera = element("camera", HTMLSelectElement);
const cameraField = element("camera-field", HTMLElement);
const speaker = element("speaker", HTMLSelectElement);
const volume = element("volume", HTMLInputElement);
const push = element("push", HTMLInputElement);

element("transport-field", HTMLElement).hidden = OFFERED.length < 2;
transport.replaceChildren(...OFFERED.map(({ key, label }) => new Option(label, key)));
element("speaker-field", HTMLElement).hidden = !("setSinkId" in HTMLMediaElement.prototype);

connect.addEventListener("click", session.press);
mute.addEventListener("click", session.switchMicrophone);
darken.addEventListener("click", session.switchCamera);
clear.addEventListener("click", session.clear);
element("close-problem", HTMLButtonElement).addEventListener("click", session.dismiss);
again.addEventListener("click", () => void session.reload());
transport.addEventListener("change", () => session.chooseTransport(transport.value));
microphone.addEventListener("change", () => session.chooseMicrophone(microphone.value));
camera.addEventListener("change", () => session.chooseCamera(camera.value));
speaker.addEventListener("change", () => session.chooseSpeaker(speaker.value));
volume.addEventListener("input", () => session.setVolume(volume.valueAsNumber));
push.addEventListener("change", () => session.chooseTalkMode(push.checked ? "push" : "open"));
element("compose", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  if (session.sendText(message.value)) message.value = "";
});
followEnd(element("log", HTMLElement), element("latest", HTMLElement));

/** What runs only during a conversation, and how to stop it. */
let stopLevels: (() => void) | undefined;
let stopHold: (() => void) | undefined;

session.subscribe(show);
show();

// The developer drawer, with `npm run dev` only. Delete `developer.ts` to remove it.
if (import.meta.env.DEV) {
  for (const load of Object.values(import.meta.glob<{ default: (session: Session) => void }>("./developer.ts"))) {
    void load().then((developer) => developer.default(session));
  }
}

function show(): void {
  const now = session.state();
  const idle = now.phase === "idle";
  const ready = now.phase === "ready";
  const live = ready || now.phase === "reconnecting";
  const withCamera = CAMERA && now.transport.video;

  page.dataset["phase"] = now.phase;
  page.dataset["activity"] = now.activity;
  say(status, now.status);
  showProblem(now.problem);
  stopLevels = during(live, stopLevels, () => showLevels(session.state, page));

  // The button keeps its position and focus in all phases.
  say(connect, idle ? "Connect" : now.phase === "connecting" ? "Cancel" : "Disconnect");
  connect.ariaDisabled = String(now.phase === "closing");
  hold.hidden = !live || now.talkMode !== "push";
  stopHold = during(!hold.hidden, stopHold, () => holdToTalk(hold, session.hold));
  mute.hidden = !live || now.talkMode === "push";
  mute.ariaPressed = String(!now.microphoneOn);
  darken.hidden = !live || !withCamera;
  darken.ariaPressed = String(!now.cameraOn);

  play(botVideo, PICTURE ? now.botVideo : null);
  play(ownVideo, now.ownVideo);
  pictures.hidden = botVideo.hidden && ownVideo.hidden;

  showTurns(turns, now.turns);
  silence.hidden = now.turns.length > 0;
  clear.hidden = now.turns.length === 0;
  message.disabled = !ready;
  send.disabled = !ready;
  message.placeholder = ready ? "Type a message" : "Connect to type a message";

  transport.value = now.transport.key;
  transport.disabled = !idle;
  showDevices(microphone, now.devices.microphones, now.microphone, "Microphone");
  cameraField.hidden = !withCamera;
  showDevices(camera, now.devices.cameras, now.camera, "Camera");
  showDevices(speaker, now.devices.speakers, now.speaker, "Speaker");
  volume.valueAsNumber = now.volume;
  push.checked = now.talkMode === "push";
}

/** Says what went wrong. The cause is behind a switch. */
function showProblem(now: Problem | null): void {
  if (now && words.textContent !== now.message) cause.open = IN_DEVELOPMENT;
  say(words, now?.message ?? "");
  say(causeWords, now?.details ?? "");
  say(command, now?.command ?? "");
  cause.hidden = !now?.details;
  command.hidden = !now?.command;
  again.hidden = !now?.reload;
  problem.hidden = !now;
}

/** Starts or stops something. Returns the function that stops it. */
function during(wanted: boolean, stop: (() => void) | undefined, start: () => () => void): (() => void) | undefined {
  if (wanted) return stop ?? start();
  stop?.();
  return undefined;
}
