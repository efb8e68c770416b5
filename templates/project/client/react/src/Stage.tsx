import { Pictures } from "./Pictures";
import { useSession } from "./Providers";

/** Shows what the bot is doing. */
export function Stage({ name }: { name: string }) {
  const { session, now } = useSession();
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
        <div className="problem" role="alert">
          {now.problem && <p>{now.problem}</p>}
          {now.command && <code>{now.command}</code>}
          {now.reload && (
            <button type="button" onClick={() => void session.reload()}>
              Try again
            </button>
          )}
        </div>
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
