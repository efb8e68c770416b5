/** The distance from the end that still counts as the end, in pixels. */
const NEAR = 48;

/** Keeps the end of `log` in view while it grows, unless the reader has scrolled up; then `latest` scrolls back down. */
export function followEnd(log: HTMLElement, latest: HTMLElement): () => void {
  const off = new AbortController();
  let following = true;
  const toEnd = () => {
    following = true;
    latest.hidden = true;
    log.scrollTop = log.scrollHeight;
  };
  const grew = new MutationObserver(() => {
    if (following) toEnd();
    else latest.hidden = false;
  });
  grew.observe(log, { childList: true, characterData: true, subtree: true });
  const resized = new ResizeObserver(() => following && toEnd());
  resized.observe(log);
  log.addEventListener(
    "scroll",
    () => {
      following = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR;
      if (following) latest.hidden = true;
    },
    { signal: off.signal, passive: true },
  );
  latest.addEventListener(
    "click",
    () => {
      toEnd();
      log.focus();
    },
    { signal: off.signal },
  );
  return () => {
    grew.disconnect();
    resized.disconnect();
    off.abort();
  };
}
