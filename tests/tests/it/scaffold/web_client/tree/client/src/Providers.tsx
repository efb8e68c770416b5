import { PipecatClientProvider } from "@pipecat-ai/client-react";
import { createContext, use, useState, useSyncExternalStore, type ReactNode } from "react";

import { Session } from "./session";
import type { SessionState } from "./state";

const SessionContext = createContext<Session | null>(null);

/** Everything below may use `useSession` and the hooks of `@pipecat-ai/client-react`, at every moment. */
export function Providers({ children }: { children: ReactNode }) {
  const [session] = useState(() => new Session());
  return (
    <SessionContext value={session}>
      <PipecatClientProvider client={session.client}>{children}</PipecatClientProvider>
    </SessionContext>
  );
}

/** The session, and its state of this moment. */
export function useSession(): { session: Session; now: SessionState } {
  const session = use(SessionContext);
  if (!session) throw new Error("useSession works below Providers only");
  const now = useSyncExternalStore(session.subscribe, session.state, session.initial);
  return { session, now };
}
