/**
 * Makes `button` the key for push-to-talk, and the space bar with it while nothing else has the focus. Whatever takes the
 * finger or the page away lets go. A click without a press, as screen readers and voice control make it, switches over.
 */
export function holdToTalk(button: HTMLElement, talk: (held: boolean) => void): () => void {
  const off = new AbortController();
  const { signal } = off;
  let held = false;
  const hold = (on: boolean) => {
    if (held === on) return;
    held = on;
    button.ariaPressed = String(on);
    talk(on);
  };
  const release = () => hold(false);
  const isKey = ({ key, target }: KeyboardEvent) =>
    target === button ? key === " " || key === "Enter" : key === " " && target === document.body;

  button.addEventListener(
    "pointerdown",
    (event) => {
      if (event.button !== 0) return;
      button.setPointerCapture(event.pointerId);
      hold(true);
    },
    { signal },
  );
  for (const end of ["pointerup", "pointercancel", "lostpointercapture", "blur"]) button.addEventListener(end, release, { signal });
  // A long press opens no menu.
  button.addEventListener("contextmenu", (event) => event.preventDefault(), { signal });
  button.addEventListener("click", (event) => event.detail === 0 && hold(!held), { signal });

  document.addEventListener(
    "keydown",
    (event) => {
      if (!isKey(event)) return;
      event.preventDefault();
      if (!event.repeat) hold(true);
    },
    { signal },
  );
  document.addEventListener(
    "keyup",
    (event) => {
      if (!held || (event.key !== " " && event.key !== "Enter")) return;
      event.preventDefault();
      release();
    },
    { signal },
  );
  document.addEventListener("visibilitychange", release, { signal });
  window.addEventListener("blur", release, { signal });

  return () => {
    release();
    off.abort();
  };
}
