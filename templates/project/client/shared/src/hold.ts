/**
 * Makes `button` the push-to-talk key, and the space bar too while nothing else has the focus. Losing the pointer or the page
 * releases it. A click without a press, as from screen readers and voice control, toggles it.
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
  // No context menu on a long press.
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
