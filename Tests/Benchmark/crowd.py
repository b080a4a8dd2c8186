"""A session full of strokes, as after days of drawing: the same ones each time."""

from __future__ import annotations

import json
import math
import random
import uuid

COLORS = ["#e5484d", "#f76b15", "#ffc53d", "#30a46c", "#12a594", "#0090ff", "#8e4ec6", "#e93d82", "#ad7f58", "#1c2024"]
POINTS = 20
# The side of each stroke's part of the plane, so that the density does not depend on the number of strokes.
ROOM = 60


class Crowd:
    """Creates the strokes of a session, one after the other, for `subject.fill`."""

    def __init__(self, count: int) -> None:
        self.chance = random.Random(7)
        self.side = ROOM * math.sqrt(count)

    def stroke(self, number: int) -> tuple[bytes, bytes, bytes]:
        """Returns the key, type and payload of a stroke."""
        chance = self.chance
        key = uuid.UUID(int=chance.getrandbits(128), version=4)
        color = chance.randrange(len(COLORS))
        points = self._points()
        told = {"id": str(key).upper(), "color": color, "point": points[-1], "points": points,
                "width": chance.choice([2, 3, 4, 6, 10]), "tool": "pen", "rgb": COLORS[color], "z": number}  # fmt: skip
        return key.bytes, b"UpsertStrokeMessage", json.dumps(told, separators=(",", ":")).encode()

    def _points(self) -> list[list[float]]:
        """Returns a slightly unsteady line that bends one way."""
        chance = self.chance
        x, y = chance.uniform(0, self.side), chance.uniform(0, self.side * 0.625)
        angle, turn, step = chance.uniform(0, 2 * math.pi), chance.gauss(0, 0.25), chance.uniform(3, 9)
        points = []
        for _ in range(POINTS):
            points.append([round(x, 2), round(y, 2)])
            angle += turn + chance.gauss(0, 0.1)
            x, y = x + step * math.cos(angle), y + step * math.sin(angle)
        return points
