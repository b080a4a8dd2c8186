"""A client of the socket in a page, which uses only the wire protocol."""

from __future__ import annotations

# Joins a session and removes a key (32 hex digits); "heard" once its own entry comes back, in order.
REMOVE = """async ([session, hex]) => {
  const socket = new WebSocket(`/api/sessions/${session}/socket`, 'drawtogether.v1');
  socket.binaryType = 'arraybuffer';
  const type = new TextEncoder().encode('Removal');
  const removal = () => {
    const entry = new DataView(new ArrayBuffer(4 + 2 + 4 + 16 + type.length));
    entry.setUint32(0, entry.byteLength - 4);
    entry.setUint8(4, 1 | (3 << 1)); // reliable, remove
    entry.setUint8(5, type.length);
    entry.setUint32(6, 1);
    for (let at = 0; at < 16; at += 1) entry.setUint8(10 + at, Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16));
    new Uint8Array(entry.buffer).set(type, 26);
    return entry.buffer;
  };
  return await new Promise((done) => {
    let number = 0;
    socket.onopen = () => socket.send(JSON.stringify({ join: { name: 'Raw' } }));
    socket.onclose = ({ code }) => done(`closed with ${code}`);
    socket.onmessage = ({ data }) => {
      if (typeof data === 'string') {
        const told = JSON.parse(data);
        if (told.joined) number = told.joined.participant.number;
        if (told.caughtUp) socket.send(removal());
        if (told.error) done(data);
        return;
      }
      const view = new DataView(data);
      for (let at = 0; at < view.byteLength; at += 4 + view.getUint32(at)) {
        if (number !== 0 && view.getUint32(at + 14) === number && view.getUint32(at + 18) === 1) done('heard');
      }
    };
  });
}"""
