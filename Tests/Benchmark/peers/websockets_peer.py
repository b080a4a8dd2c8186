"""A broadcast server on websockets: every binary message goes to all other members of the room."""

import asyncio

import uvloop
from rooms import Rooms, snapshot
from websockets.asyncio.server import ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed

ROOMS = Rooms()


async def serve_member(member: ServerConnection) -> None:
    room = ROOMS.of(member.request.path)
    room.add(member)
    try:
        for message in snapshot(member.request.path):
            await member.send(message)
        async for message in member:
            broadcast(room - {member}, message)
    except ConnectionClosed:
        pass  # a generator resets its sockets when it is done
    finally:
        room.discard(member)


async def main() -> None:
    async with serve(serve_member, "127.0.0.1", 0, compression=None, backlog=4096, ping_interval=None) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.Future()


uvloop.run(main())
