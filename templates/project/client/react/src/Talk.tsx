import { useEffect, useRef } from "react";

import { Dock } from "./Dock";
import { showLevels } from "./levels";
import { useSession } from "./Providers";
import { Stage } from "./Stage";
import { Turns } from "./Turns";

/** The whole page, rendered from the session's state. */
export function Talk({ name }: { name: string }) {
  const { session, now } = useSession();
  const page = useRef<HTMLElement>(null);
  const live = now.phase === "ready" || now.phase === "reconnecting";
  useEffect(() => {
    if (!live || !page.current) return;
    return showLevels(session.state, page.current);
  }, [live, session]);

  return (
    <main ref={page} data-phase={now.phase} data-activity={now.activity}>
      <Stage name={name} />
      <Dock />
      <Turns />
    </main>
  );
}
