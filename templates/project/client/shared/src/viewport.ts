/** Keeps the page as high as what is visible of it: in some browsers the keyboard of a phone covers the page. Zooming changes nothing. */
export function fitVisible(): void {
  const { visualViewport: visible } = window;
  const fit = () => {
    if (visible) document.documentElement.style.setProperty("--screen", `${visible.height * visible.scale}px`);
  };
  visible?.addEventListener("resize", fit);
  fit();
}
