"""The drawings of five friends who plan a weekend at a lake: handwriting and sketches, as drawn by hand."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace

from PIL import Image, ImageDraw, ImageFilter

Points = list[tuple[float, float]]

RED, ORANGE, YELLOW, GREEN, TEAL, CYAN, INDIGO, PURPLE, PINK, BROWN = (
    "#e5484d", "#f2762e", "#e8b100", "#30a46c", "#12a5a5", "#2ba9e0", "#4f5fe8", "#8e4ec6", "#e54e9e", "#a1704a",
)

# The strokes of each letter: x to the right, y up from the base line; small letters are 4 high.
LETTERS = {
    "a": (4.2, ["3,3.6 1.8,4.1 .5,3 .4,1.2 1.4,0 2.6,.8 3.1,3.4 3,1 3.4,.1 4,.4"]),
    "b": (4.1, [".6,7.4 .4,3.5 .5,.3", ".5,2.4 1.6,3.9 3,3.4 3.4,1.8 2.4,.1 .6,.4"]),
    "c": (3.5, ["3,3.4 1.8,4.1 .6,3 .5,1.2 1.6,0 3,.6"]),
    "d": (4.2, ["3,3.5 1.7,4 .5,2.8 .5,1 1.6,0 2.9,1.2 3.2,7.4", "3.2,7 3.1,3 3.3,.3 3.9,.3"]),
    "e": (3.6, [".5,2.2 2.9,2.6 2.8,3.8 1.5,4.1 .4,2.6 .6,.8 1.8,-.1 3.2,.8"]),
    "g": (4.1, ["3,3.5 1.7,4 .5,2.8 .6,1.1 1.7,.3 2.9,1.4 3.1,3.6 3,-1.4 2,-3 .6,-2.4"]),
    "h": (3.9, [".6,7.4 .5,3 .4,.1", ".5,2 1.5,3.8 2.7,3.6 3,2 3,.1"]),
    "i": (1.9, [".6,3.9 .6,1 1,.1 1.5,.4", ".7,5.6 .85,5.5"]),
    "k": (3.5, [".6,7.4 .5,.1", "2.9,4 .8,1.9 3,.1"]),
    "l": (1.9, [".6,7.4 .5,1.4 .9,.1 1.5,.4"]),
    "m": (5.3, [".5,4 .5,.1", ".5,2.4 1.3,3.9 2.3,3.6 2.4,.1", "2.4,2.4 3.2,3.9 4.2,3.5 4.4,.1"]),
    "n": (4, [".5,4 .5,.1", ".5,2.2 1.5,3.9 2.7,3.6 3,2 3.1,.1"]),
    "o": (3.9, ["1.9,4 .6,3.2 .5,1.1 1.8,0 3.2,1 3.2,3 2,4 1.6,3.9"]),
    "p": (3.9, [".5,4 .4,-3", ".5,2.6 1.6,4 3,3.4 3.3,1.7 2.2,.1 .6,.6"]),
    "r": (2.9, [".5,4 .5,.1", ".5,2.2 1.3,3.7 2.5,3.9"]),
    "s": (3.3, ["2.8,3.5 1.6,4.1 .6,3.2 1.6,2.2 2.8,1.2 2,0 .4,.5"]),
    "t": (2.9, ["1.2,6.2 1.1,1.4 1.6,.1 2.6,.5", ".1,4.1 2.5,4.3"]),
    "u": (4.1, [".5,4 .5,1.4 1.4,0 2.7,1 3,4 3,1 3.4,.1 3.9,.3"]),
    "w": (4.5, [".3,4 1,.2 2.1,3 3.1,.2 4,4"]),
    "W": (6.5, ["0,7 1.3,.2 2.9,5 4.4,.2 6,7.2"]),
    "!": (1.8, [".7,7 .6,2.2", ".6,.3 .7,.2"]),
    " ": (2.6, []),
}


@dataclass
class Line:
    points: Points
    color: str
    width: float = 3
    tool: str = "pen"

    def message(self) -> dict:
        """Returns the page's message, with a little less pressure at both ends of the stroke."""
        last = max(1, len(self.points) - 1)
        ends = [min(1.0, 0.35 + 2.4 * min(at, last - at) / last) for at in range(last + 1)]
        drawn = {"points": [[round(x, 1), round(y, 1)] for x, y in self.points], "rgb": self.color, "width": self.width}
        drawn |= {"tool": self.tool, "color": 0, "point": drawn["points"][-1]}
        return drawn if self.tool == "highlighter" else drawn | {"pressures": [round(0.62 * one, 2) for one in ends]}


class Hand:
    """Draws lines that waver a little, the same each time."""

    def __init__(self, color: str, width: float = 3, seed: int = 1) -> None:
        self.color, self.width, self.chance = color, width, random.Random(seed)

    def line(
        self, *points: tuple[float, float], wobble: float = 0.8, color: str = "", width: float = 0
    ) -> Line:
        """Adds a line through these points, rounded."""
        through = [(x + self.chance.gauss(0, wobble * 0.6), y + self.chance.gauss(0, wobble * 0.6)) for x, y in points]
        return Line(smooth(through), color or self.color, width or self.width)

    def round(
        self, x: float, y: float, rx: float, ry: float, start: float = -2, more: float = 0.3, **look
    ) -> Line:
        turns = [start + at / 14 * (2 * math.pi + more) for at in range(15)]
        return self.line(*[(x + rx * math.cos(one), y + ry * math.sin(one)) for one in turns], **look)

    def write(self, text: str, x: float, y: float, em: float, **look) -> list[Line]:
        lines = []
        for letter in text:
            width, strokes = LETTERS[letter]
            rise = self.chance.gauss(0, 0.12)
            for stroke in strokes:
                corners = [tuple(map(float, one.split(","))) for one in stroke.split()]
                placed = [(x + (u + 0.1 * v) * em, y - (v + rise) * em) for u, v in corners]
                lines.append(self.line(*placed, wobble=em / 14, **look))
            x += (width + 0.35 + self.chance.gauss(0, 0.08)) * em
        return lines


def smooth(points: Points, step: float = 3) -> Points:
    """Returns a Catmull-Rom curve through the points, with a point about every `step`."""
    if len(points) < 2:
        return points
    around = [points[0], *points, points[-1]]
    curve = [points[0]]
    for (ax, ay), (bx, by), (cx, cy), (dx, dy) in zip(around, around[1:], around[2:], around[3:], strict=False):
        steps = max(2, round(math.dist((bx, by), (cx, cy)) / step))
        for at in range(1, steps + 1):
            t = at / steps
            weights = [-t + 2 * t**2 - t**3, 2 - 5 * t**2 + 3 * t**3, t + 4 * t**2 - 3 * t**3, -(t**2) + t**3]
            parts = zip(weights, (ax, bx, cx, dx), (ay, by, cy, dy), strict=True)
            shares = [(weight * x / 2, weight * y / 2) for weight, x, y in parts]
            curve.append((sum(x for x, _ in shares), sum(y for _, y in shares)))
    return curve


def title() -> list[Line]:
    hand = Hand(CYAN, 5, 4)
    mark = Line(smooth([(4, 42), (160, 39), (320, 44), (492, 40)]), YELLOW, 24, "highlighter")
    return [mark, *hand.write("Weekend", 0, 50, 6.6), *hand.write("at the lake", 228, 50, 6.6)]


def landscape() -> list[Line]:
    """450 wide and 330 high: sun, mountains, firs, a tent, a boat on the lake."""
    sun, rock, wood, camp = Hand(ORANGE, 4, 2), Hand(PURPLE, 4, 5), Hand(GREEN, 3, 7), Hand(RED, 4, 9)
    water = Hand(CYAN, 3, 12)
    lines = [sun.round(366, 50, 29, 29, width=5, color=YELLOW)]
    for at in range(10):
        turn = at / 10 * 2 * math.pi
        near, far = 41, 55 if at % 2 else 61
        ray = [(366 + far_ * math.cos(turn), 50 + far_ * math.sin(turn)) for far_ in (near, far)]
        lines.append(sun.line(*ray, wobble=1, color=YELLOW))
    lines += [
        rock.line((8, 186), (48, 128), (84, 74), (112, 34), (134, 62), (160, 110), (184, 140)),
        rock.line((150, 104), (182, 76), (208, 50), (236, 88), (268, 132), (304, 182)),
        rock.line((86, 74), (98, 84), (108, 72), (120, 86), (136, 66), width=3),
        rock.line((188, 72), (198, 82), (208, 70), (222, 84), (230, 78), width=3),
        *[rock.line((x, y), (x + 12, y + 22), width=3) for x, y in ((122, 108), (136, 128), (108, 126), (214, 112), (230, 134))],
        # The shore, and the water in front of it.
        water.line((4, 204), (70, 196), (150, 203), (240, 197), (330, 204), (446, 198), width=4, color=TEAL),
    ]
    for row, (start, end) in enumerate(((40, 150), (188, 290), (16, 96), (132, 236), (300, 424), (64, 190), (246, 372))):
        y = 224 + 17 * row
        waves = [(x, y + (4 if at % 2 else -3)) for at, x in enumerate(range(start, end, 17))]
        lines.append(water.line(*waves, wobble=1))
    for x, y, high in ((330, 198, 62), (366, 200, 84), (400, 199, 66), (430, 199, 46)):
        for tier, reach in enumerate((0.15, 0.22, 0.28)):
            top, low = y - high * (1 - 0.24 * tier), y - high * (0.62 - 0.25 * tier)
            left, right = x - reach * high, x + reach * high
            # Both sides of the roof, from the top.
            for side in (left, right):
                lines.append(wood.line((x, top), ((x + side) / 2 + (x - side) * 0.08, (top + low) / 2), (side, low), wobble=0.6))
            lines.append(wood.line((left, low), (x, low + 4), (right, low), wobble=0.6))
        lines.append(wood.line((x, y - high * 0.1), (x, y + 3), color=BROWN, width=5))
    lines += [
        camp.line((228, 196), (254, 152), (262, 140), (271, 154), (300, 197), wobble=0.8, color=ORANGE),
        camp.line((229, 196), (264, 199), (299, 196), color=ORANGE),
        camp.line((263, 142), (255, 172), (250, 197), width=3, color=ORANGE),
        camp.line((263, 142), (270, 172), (276, 197), width=3, color=ORANGE),
        # A sailing boat.
        camp.line((196, 286), (206, 302), (226, 306), (254, 303), (268, 285), (232, 289), (197, 286), color=RED),
        camp.line((232, 288), (232, 252), (231, 226), color=BROWN),
        camp.line((236, 230), (250, 252), (262, 276), (248, 279), (237, 278), (236, 254), (236, 231), color=RED),
        camp.line((226, 240), (214, 260), (206, 278), (226, 280), color=RED, width=3),
        # Birds.
        *[rock.line((x - 11, y - 5), (x - 5, y - 8), (x, y), (x + 6, y - 8), (x + 12, y - 5), width=3, color=INDIGO)
          for x, y in ((268, 40), (294, 58), (258, 66))],
    ]
    return lines


def checklist() -> list[Line]:
    """200 wide and 200 high."""
    hand, pen = Hand(PINK, 3, 21), Hand(TEAL, 3, 22)
    lines = []
    for row, (text, is_done) in enumerate((("tent", True), ("guitar", True), ("good shoes", False), ("lemonade", False))):
        y = 26 + 44 * row
        lines.append(hand.line((2, y - 19), (3, y), (22, y), (21, y - 20), (2, y - 19), wobble=0.7))
        lines += pen.write(text, 40, y, 4.6)
        if is_done:
            lines.append(hand.line((4, y - 12), (10, y - 3), (28, y - 27), color=GREEN, width=5))
    return lines


def invitation() -> list[Line]:
    """190 wide and 80 high: a word in a ring, and an arrow from it to the left."""
    hand = Hand(RED, 4, 31)
    return [
        *hand.write("swim!", 78, 48, 5.6),
        hand.round(142, 36, 84, 38, start=-2.6),
        hand.line((54, 48), (34, 60), (12, 84), wobble=1),
        hand.line((32, 82), (12, 85), (10, 64), wobble=0.6),
    ]


def heart() -> list[Line]:
    hand = Hand(PINK, 5, 41)
    return [hand.line((24, 14), (14, 3), (2, 9), (5, 26), (24, 44), (42, 26), (46, 9), (35, 3), (24, 14), wobble=0.5)]


def reply() -> list[Line]:
    """Returns this page's own writing while it has no connection."""
    return Hand("", 3, 51).write("me too!", 0, 40, 5)


def at(x: float, y: float, scale: float, lines: list[Line]) -> list[Line]:
    return [replace(line, points=[(x + scale * u, y + scale * v) for u, v in line.points]) for line in lines]


@dataclass
class Friend:
    name: str
    color: str
    lines: list[Line]
    cursor: tuple[float, float]


def friends(is_phone: bool) -> list[Friend]:
    """Returns the four others with their drawings and pen positions, for a desktop page or a phone."""
    if is_phone:
        heading = at(18, 86, 0.72, title())
        picture = at(14, 150, 0.81, landscape())
        things = [*at(30, 500, 0.92, checklist()), *at(150, 508, 0.8, heart())]
        call = at(222, 452, 0.72, invitation())
        cursors = ((300, 152), (66, 414), (222, 668), (222, 520))
    else:
        heading = at(84, 98, 1.16, title())
        picture = at(70, 200, 1.26, landscape())
        things = [*at(836, 110, 1.12, checklist()), *at(1076, 138, 1.2, heart())]
        call = at(640, 342, 1.1, invitation())
        cursors = ((676, 164), (400, 612), (1112, 290), (652, 442))
    return [
        Friend("Jonas Weber", CYAN, heading, cursors[0]),
        Friend("Mei Tanaka", GREEN, picture, cursors[1]),
        Friend("Sofia Rossi", PINK, things, cursors[2]),
        Friend("Omar Haddad", RED, call, cursors[3]),
    ]


def lake(size: tuple[int, int] = (1200, 800)) -> Image.Image:
    """Returns a photo of the lake at dusk."""
    wide, high = size
    sky = Image.new("RGB", (1, high))
    for y in range(high):
        t = min(1, y / (high * 0.58))
        sky.putpixel((0, y), (round(64 + 190 * t), round(92 + 92 * t), round(160 - 38 * t)))
    photo = sky.resize(size)
    brush = ImageDraw.Draw(photo)
    brush.ellipse((wide * 0.62, high * 0.36, wide * 0.70, high * 0.48), fill=(255, 236, 190))
    photo = photo.filter(ImageFilter.GaussianBlur(3))
    brush = ImageDraw.Draw(photo)
    shore = high * 0.58
    for depth, color in enumerate(((118, 104, 148), (84, 82, 124), (48, 56, 88))):
        tops = [
            (x, shore - high * (0.30 - 0.09 * depth) * (0.5 + 0.5 * math.sin(x / wide * (5 + 2 * depth) + 1.7 * depth)) ** 1.4 - 6 * depth)
            for x in range(0, wide + 1, 8)
        ]
        brush.polygon([(0, shore), *tops, (wide, shore)], fill=color)
    water = photo.crop((0, 0, wide, round(shore))).transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    water = Image.blend(water.resize((wide, high - round(shore))), Image.new("RGB", (wide, high - round(shore)), (30, 44, 74)), 0.35)
    photo.paste(water.filter(ImageFilter.GaussianBlur(5)), (0, round(shore)))
    brush = ImageDraw.Draw(photo)
    chance = random.Random(3)
    for _ in range(170):
        x, y = chance.uniform(0, wide), shore + (high - shore) * chance.random() ** 1.5
        brush.line((x, y, x + chance.uniform(20, 90), y), fill=(226, 190, 160), width=1)
    return Image.blend(photo, Image.effect_noise(size, 22).convert("RGB"), 0.05)
