import { useEffect, useRef } from "react";

import type { Turn } from "./conversation";

export function Turns({ turns }: { turns: Turn[] }) {
  const log = useRef<HTMLDivElement>(null);
  useEffect(() => {
    log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [turns]);
  return (
    <section aria-labelledby="conversation">
      <h2 id="conversation">Conversation</h2>
      <div ref={log} className="log" role="log" aria-labelledby="conversation" tabIndex={0}>
        <ol className="turns">
          {turns.map((turn) => (
            <li key={turn.id} className={turn.who}>
              <b>{turn.who === "user" ? "You" : "Bot"}</b>
              <p>{turn.text}</p>
            </li>
          ))}
        </ol>
      </div>
      {turns.length === 0 && <p className="hint">What you and the bot say appears here.</p>}
    </section>
  );
}
