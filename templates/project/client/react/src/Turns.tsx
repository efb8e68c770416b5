import { useEffect, useRef, useState, type FormEvent } from "react";

import type { Turn } from "./conversation";
import { followEnd } from "./follow";
import { Icon } from "./Icon";
import { useSession } from "./Providers";

/** The transcript, and a line to type in. */
export function Turns() {
  const { session, now } = useSession();
  const { turns } = now;
  const log = useRef<HTMLDivElement>(null);
  const latest = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (log.current && latest.current) return followEnd(log.current, latest.current);
  }, []);

  return (
    <section className="talk" aria-labelledby="conversation">
      <div className="talk-head">
        <h2 id="conversation">Conversation</h2>
        {turns.length > 0 && (
          <button className="quiet" type="button" onClick={session.clear}>
            Clear
          </button>
        )}
      </div>
      <div ref={log} className="log" role="log" aria-labelledby="conversation" aria-relevant="additions" tabIndex={0}>
        {turns.length === 0 && <p className="hint">What you and the bot say appears here.</p>}
        <ol className="turns">
          {turns.map((turn, at) => (
            <Said key={turn.id} turn={turn} before={turns[at - 1]} />
          ))}
        </ol>
      </div>
      <button ref={latest} className="latest" type="button" hidden>
        Latest messages
      </button>
      <Compose />
    </section>
  );
}

function Said({ turn, before }: { turn: Turn; before: Turn | undefined }) {
  const newConversation = before !== undefined && before.attempt !== turn.attempt;
  const classes = [turn.who, turn.interrupted && "cut", newConversation && "first"];
  return (
    // The text is not final: screen readers wait.
    <li className={classes.filter(Boolean).join(" ")} aria-busy={turn.parts.some((part) => !part.final)}>
      <b>{turn.who === "user" ? "You" : "Bot"}</b>
      <p>
        {turn.parts.map(({ text, spoken }, at) => (
          <span key={at}>
            {at > 0 && " "}
            <span className="spoken">{text.slice(0, spoken)}</span>
            <span className="unspoken">{text.slice(spoken)}</span>
          </span>
        ))}
      </p>
      {(turn.interrupted || turn.typed) && <small>{turn.interrupted ? "Interrupted" : "Typed"}</small>}
    </li>
  );
}

function Compose() {
  const { session, now } = useSession();
  const [text, setText] = useState("");
  const ready = now.phase === "ready";
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (session.sendText(text)) setText("");
  };
  return (
    <form className="compose" onSubmit={send}>
      <input
        aria-label="Message"
        autoComplete="off"
        enterKeyHint="send"
        placeholder={ready ? "Type a message" : "Connect to type a message"}
        disabled={!ready}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button className="icon" type="submit" aria-label="Send message" disabled={!ready}>
        <Icon name="send" />
      </button>
    </form>
  );
}
