import { PipecatClientProvider } from "@pipecat-ai/client-react";
import { useEffect, useSyncExternalStore } from "react";

import { Buttons } from "./Buttons";
import { Pictures } from "./Pictures";
import { Settings } from "./Settings";
import { Turns } from "./Turns";
import type { Session } from "./session";

/** The whole page. What it shows follows from the session's state. */
export function Talk({ session, name }: { session: Session; name: string }) {
  const now = useSyncExternalStore(session.subscribe, session.state, session.initial);
  useEffect(() => {
    document.body.dataset["phase"] = now.phase;
  }, [now.phase]);

  return (
    // Components below this may use the hooks of @pipecat-ai/client-react.
    <PipecatClientProvider client={now.client}>
      <main>
        <h1>{name}</h1>
        <p className="status">
          <span className="dot" aria-hidden="true" />
          <span role="status">{now.status}</span>
        </p>
        <p className="problem" role="alert">
          {now.problem} {now.command && <code>{now.command}</code>}
        </p>
        <Buttons session={session} now={now} />
        <Pictures now={now} />
        <Turns turns={now.turns} />
        <Settings session={session} now={now} />
      </main>
    </PipecatClientProvider>
  );
}
