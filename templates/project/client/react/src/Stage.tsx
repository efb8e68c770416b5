import { Icon } from "./Icon";
import { Pictures } from "./Pictures";
import { useSession } from "./Providers";
import { IN_DEVELOPMENT } from "./settings";

/** Shows what the bot is doing. */
export function Stage({ name }: { name: string }) {
  const { now } = useSession();
  return (
    <section className="stage" aria-labelledby="name">
      <h1 id="name">{name}</h1>
      <div className="face">
        <div className="orb" aria-hidden="true" />
        <Pictures />
      </div>
      <div className="news">
        <p className="status" role="status">
          {now.status}
        </p>
        <Alert />
        <div className="meters">
          <div>
            <span>You</span>
            <div className="meter" role="meter" data-who="you" aria-label="Level of your microphone" aria-valuenow={0} />
          </div>
          <div>
            <span>Bot</span>
            <div className="meter" role="meter" data-who="bot" aria-label="Level of the bot" aria-valuenow={0} />
          </div>
        </div>
      </div>
    </section>
  );
}

/** Says what went wrong. The cause is behind a switch. */
function Alert() {
  const { session, now } = useSession();
  const { problem } = now;
  return (
    <div className="problem" role="alert">
      {problem && (
        <>
          <p>{problem.message}</p>
          <button className="icon" type="button" aria-label="Close" onClick={session.dismiss}>
            <Icon name="close" />
          </button>
          {problem.details && (
            <details open={IN_DEVELOPMENT}>
              <summary>Details</summary>
              <p>{problem.details}</p>
              {problem.command && <code>{problem.command}</code>}
            </details>
          )}
          {problem.reload && (
            <button type="button" onClick={() => void session.reload()}>
              Try again
            </button>
          )}
        </>
      )}
    </div>
  );
}
