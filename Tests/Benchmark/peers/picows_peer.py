"""A broadcast server on picows: every binary message goes to all other members of the room."""

import uvloop
from picows import WSFrame, WSListener, WSMsgType, WSTransport, WSUpgradeRequest, ws_create_server
from rooms import Rooms, snapshot

ROOMS = Rooms()


class Member(WSListener):
    def __init__(self, path: str) -> None:
        self.path = path
        self.room = ROOMS.of(path)

    def on_ws_connected(self, transport: WSTransport) -> None:
        self.room.add(transport)
        for message in snapshot(self.path):
            transport.send(WSMsgType.BINARY, message)

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type == WSMsgType.CLOSE:
            transport.disconnect()
        elif frame.msg_type == WSMsgType.BINARY:
            message = frame.get_payload_as_bytes()
            for other in self.room:
                if other is not transport:
                    other.send(WSMsgType.BINARY, message)

    def on_ws_disconnected(self, transport: WSTransport) -> None:
        self.room.discard(transport)


def join(request: WSUpgradeRequest) -> Member:
    return Member(request.path.decode())


async def main() -> None:
    server = await ws_create_server(join, "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


uvloop.run(main())
