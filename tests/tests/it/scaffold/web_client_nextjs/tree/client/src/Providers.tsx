"use client";

import { PipecatClientProvider } from "@pipecat-ai/client-react";
import { createContext, use, useState, useSyncExternalStore, type ReactNode } from "react";

import { Session } from "./session";
import type { SessionState } from "./state";

const SessionContext = createContext<Session | null>(null);

/** All components below may use `useSession` and the hooks of `@pipecat-ai/client-react`. */
export function Providers({ children }: { children: ReactNode }) {
  const [session] = useState(() => new Session());
  return (
    <SessionContext value={session}>
      <PipecatClientProvider client={session.client}>{children}</PipecatClientProvider>
    </SessionContext>
  );
}

/** Returns the session and its current state. */
export function useSession(): { session: Session; now: SessionState } {
  const session = use(SessionContext);
  if (!session) throw new Error("useSession works below Providers only");
  const now = useSyncExternalStore(session.subscribe, session.state, session.initial);
  return { session, now };
}
