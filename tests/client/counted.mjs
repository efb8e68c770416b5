/** Runs in the page before anything else: counts the devices and connections that are open, and breaks some. */
export function count() {
  const tracks = new Set();
  const peers = new Set();
  const sockets = new Set();
  const refused = {};
  let gate;
  let isHeld = false;
  let asking = 0;
  let connecting;

  const media = navigator.mediaDevices;
  const getUserMedia = media.getUserMedia.bind(media);
  media.getUserMedia = async (wanted) => {
    asking += 1;
    try {
      for (const [kind, name] of Object.entries(refused)) {
        if (wanted[kind]) throw new DOMException("refused by the test", name);
      }
      const stream = await getUserMedia(wanted);
      for (const track of stream.getTracks()) tracks.add(track);
      if (gate) {
        isHeld = true;
        await gate.opened;
      }
      return stream;
    } finally {
      asking -= 1;
    }
  };
  const { clone } = MediaStreamTrack.prototype;
  MediaStreamTrack.prototype.clone = function () {
    const copy = clone.call(this);
    if (tracks.has(this)) tracks.add(copy);
    return copy;
  };
  const connect = (set, connection) => {
    set.add(connection);
    connecting?.();
    connecting = undefined;
  };
  window.RTCPeerConnection = class extends RTCPeerConnection {
    constructor(...given) {
      super(...given);
      connect(peers, this);
    }
  };
  window.WebSocket = class extends WebSocket {
    constructor(...given) {
      super(...given);
      connect(sockets, this);
    }
  };
  const live = () => [...tracks].filter((track) => track.readyState === "live");
  window.counted = {
    open: () => ({
      tracks: live().length,
      peers: [...peers].filter((peer) => peer.signalingState !== "closed").length,
      sockets: [...sockets].filter((socket) => socket.readyState < WebSocket.CLOSING).length,
    }),
    /** The microphones that are open. */
    labels: () => live().filter((track) => track.kind === "audio").map((track) => track.label),
    /** What is sent to the bot. */
    sent: () =>
      [...peers]
        .filter((peer) => peer.signalingState !== "closed")
        .flatMap((peer) => peer.getSenders())
        .filter(({ track }) => track)
        .map(({ track }) => `${track.readyState} ${track.label}`),
    refuse: (kind, name) => (refused[kind] = name),
    allow: () => Object.keys(refused).forEach((kind) => delete refused[kind]),
    /** Devices are opened, but nobody is told until `release`. */
    hold: () => {
      gate = {};
      gate.opened = new Promise((resolve) => (gate.open = resolve));
    },
    held: () => isHeld,
    release: () => {
      gate.open();
      gate = undefined;
      isHeld = false;
    },
    /** No device is being opened. */
    settled: () => asking === 0,
    /** Does something as soon as the next connection is created. */
    whenConnecting: (act) => (connecting = act),
  };
}
