/** Returns the element of `index.html` with this `id`. */
export function element<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`index.html has no "${id}"`);
  return found;
}

/** Changes a text only if it differs, so that screen readers do not repeat it. */
export function say(element: Element | null | undefined, text: string): void {
  if (element && element.textContent !== text) element.textContent = text;
}

/** Plays a video, or hides its element. */
export function play(video: HTMLVideoElement, track: MediaStreamTrack | null): void {
  const playing = video.srcObject instanceof MediaStream ? video.srcObject.getTracks()[0] : null;
  if (playing !== track) video.srcObject = track ? new MediaStream([track]) : null;
  video.hidden = !track;
}

export function showDevices(select: HTMLSelectElement, devices: MediaDeviceInfo[], chosen: string, kind: string): void {
  const options: [string, string][] = [["", "System default"]];
  for (const [at, { deviceId, label }] of devices.entries()) options.push([deviceId, label || `${kind} ${at + 1}`]);
  const shown = Array.from(select.options, (option) => `${option.value}\n${option.text}`);
  if (shown.join("\n") !== options.map((option) => option.join("\n")).join("\n")) {
    select.replaceChildren(...options.map(([id, label]) => new Option(label, id)));
  }
  select.value = devices.some(({ deviceId }) => deviceId === chosen) ? chosen : "";
}
