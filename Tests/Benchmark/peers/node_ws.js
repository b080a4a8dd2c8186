// A broadcast server on ws: every binary message goes to all other members of the room that its path names. With
// "?snapshot=N" a member first gets N bytes. Prints the port it listens on. With "--deflate" it compresses every message, as
// it does for a browser; to a client that lets it keep no window it would otherwise send short ones as they are.
const { WebSocketServer } = require("ws");

const rooms = new Map();
const block = Buffer.alloc(65_536, 0x61);
const perMessageDeflate = process.argv.includes("--deflate") ? { threshold: 0 } : false;
const server = new WebSocketServer({ host: "127.0.0.1", port: 0, backlog: 4096, perMessageDeflate });

server.on("listening", () => console.log(server.address().port));
server.on("connection", (member, request) => {
  const { pathname, searchParams } = new URL(request.url, "http://peer");
  let room = rooms.get(pathname);
  if (room === undefined) rooms.set(pathname, (room = new Set()));
  room.add(member);
  for (let left = Number(searchParams.get("snapshot") ?? 0); left > 0; left -= block.length) {
    member.send(left < block.length ? block.subarray(0, left) : block);
  }
  member.on("message", (message, binary) => {
    for (const other of room) {
      if (other !== member) other.send(message, { binary });
    }
  });
  member.on("close", () => room.delete(member));
  member.on("error", () => member.terminate());
});
