import { useEffect, useRef } from "react";

import { PICTURE } from "./features";
import { useSession } from "./Providers";

/** Shows the bot's video and the user's camera. */
export function Pictures() {
  const { now } = useSession();
  const botVideo = PICTURE ? now.botVideo : null;
  if (!botVideo && !now.ownVideo) return null;
  return (
    <div className="pictures">
      {botVideo && <Picture track={botVideo} label="Video from the bot" className="theirs" />}
      {now.ownVideo && <Picture track={now.ownVideo} label="Your camera" className="own" />}
    </div>
  );
}

function Picture({ track, label, className }: { track: MediaStreamTrack; label: string; className: string }) {
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    if (video.current) video.current.srcObject = new MediaStream([track]);
  }, [track]);
  return <video ref={video} className={className} aria-label={label} autoPlay playsInline muted />;
}
