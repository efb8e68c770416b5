const SHAPES = {
  microphone: (
    <>
      <rect x="9" y="3" width="6" height="11" rx="3" />
      <path d="M5 11a7 7 0 0 0 14 0M12 18v3" />
      <path className="struck" d="M4 4l16 16" />
    </>
  ),
  camera: (
    <>
      <rect x="3" y="6" width="12" height="12" rx="2" />
      <path d="M15 11l6-4v10l-6-4" />
      <path className="struck" d="M4 4l16 16" />
    </>
  ),
  settings: (
    <>
      <path d="M4 8h9M19 8h1M4 16h1M11 16h9" />
      <circle cx="16" cy="8" r="2.5" />
      <circle cx="8" cy="16" r="2.5" />
    </>
  ),
  close: <path d="M6 6l12 12M18 6L6 18" />,
  send: <path d="M12 19V5M6 11l6-6 6 6" />,
};

/** An icon on a button that has a name. */
export function Icon({ name }: { name: keyof typeof SHAPES }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      {SHAPES[name]}
    </svg>
  );
}
