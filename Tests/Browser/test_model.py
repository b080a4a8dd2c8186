"""A Swift model for Apple's systems and Chromium draw together."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from board import (
    all_hold_the_same, choose, draw, items, line, move, path_of, sees_color, sees_ink, sees_paper, sees_people, share,
    wave,
)
from conftest import in_full, until
from model import Model
from photos import ORANGE, TEAL, drop, photo
from PIL import Image


@pytest.fixture
def start_model(gateway) -> Iterator[Callable[[], Model]]:
    with ExitStack() as stack:

        def start() -> Model:
            model = Model(gateway)
            stack.callback(model.close)
            return model

        yield start


def png(color: tuple[int, int, int]) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (80, 60), color).save(file, "png")
    return file.getvalue()


def test_strokes_reach_both_sides_and_late_joiners(chromium, open_page, start_model, base):
    page = open_page(chromium)
    draw(page, wave(100, 120, 300, 40))
    path = share(page)
    model = start_model()
    model.open(base + path)
    model.sees_people(2)
    sees_people(page, 2)
    # Complete strokes from before it joined.
    until(lambda: [len(points) for points in model.strokes.values()], lambda found: len(found) == 1 and found[0] > 20)

    # While the pen is down: the growing part of the stroke arrives.
    page.mouse.move(100, 300)
    page.mouse.down()
    move(page, line(100, 300, 300, 300))
    until(lambda: len(model.strokes), lambda count: count == 2)
    begun = sum(map(len, model.strokes.values()))
    move(page, line(300, 300, 500, 300))
    until(lambda: sum(map(len, model.strokes.values())), lambda count: count > begun)
    page.mouse.up()
    until(lambda: list(model.strokes.values())[1][-1], lambda point: point == [500, 300])

    model.draw(line(100, 400, 500, 400))
    sees_ink(page, 300, 400)

    late_page = open_page(chromium, path)
    sees_people(late_page, 3)
    for y in (300, 400):
        sees_ink(late_page, 300, y)
    all_hold_the_same(page, late_page)

    late_model = start_model()
    late_model.open(base + path)
    until(lambda: late_model.strokes, lambda strokes: strokes == model.strokes)
    assert len(late_model.strokes) == 3
    assert all(len(points) > 10 for points in late_model.strokes.values())


@in_full
def test_a_session_of_the_model_is_joined_by_a_page(chromium, open_page, start_model):
    model = start_model()
    model.tell("share")
    until(lambda: model.state["isJoined"])
    # Each point is sent by its own task; their order is kept.
    model.draw([*line(100, 200, 700, 200, 200), *line(700, 200, 700, 500, 100)])
    page = open_page(chromium, model.state["link"])
    sees_people(page, 2)
    model.sees_people(2)
    for x, y in ((400, 200), (700, 350)):
        sees_ink(page, x, y)
    # A point in the wrong order would draw a line across.
    assert not any(page.evaluate("([x, y]) => canvas.getContext('2d').getImageData(x, y, 1, 1).data[3]", [x, y])
                   for x, y in ((400, 300), (500, 350), (600, 250)))
    draw(page, line(100, 600, 300, 600))
    until(lambda: len(model.strokes), lambda count: count == 2)
    assert model.state["active"] is None


def test_images_reach_both_sides(chromium, open_page, start_model, base, tmp_path):
    page = open_page(chromium)
    path = share(page)
    model = start_model()
    model.open(base + path)
    picture = png(TEAL)
    model.place(picture, 300, 200)
    until(lambda: items(page), lambda found: len(found) == 1 and found[0]["isDrawn"])
    placed = items(page)[0]
    sees_color(page, placed["x"], placed["y"], TEAL)
    assert (placed["x"], placed["y"]) == (300, 200)

    taken = photo(tmp_path, "beach.jpg", ORANGE)
    drop(page, (600, 450), taken)
    until(lambda: len(model.state["images"]), lambda count: count == 2)
    by_data = {base64.b64decode(image["data"]): image["location"] for image in model.state["images"]}
    assert by_data[picture] == [300, 200]
    assert by_data[taken.read_bytes()] == [600, 450]

    late = start_model()
    late.open(base + path)
    def by_id(found: Model) -> list[dict]:
        return sorted(found.state["images"], key=lambda image: image["id"])

    until(lambda: by_id(late), lambda found: found == by_id(model))


def test_a_reset_on_either_side_moves_all_participants(chromium, open_page, start_model, base):
    page = open_page(chromium)
    draw(page, line(100, 200, 300, 200))
    first = share(page)
    model, other = start_model(), start_model()
    for one in (model, other):
        one.open(base + first)
        until(lambda one=one: len(one.strokes), lambda count: count == 1)
    sees_people(page, 3)

    # A reset by the page.
    choose(page, "clear")
    page.locator("#confirm-ok").click()
    until(lambda: path_of(page), lambda path: path not in ("", first))
    second = path_of(page)
    for one in (model, other):
        until(lambda one=one: one.state, lambda state: state["isJoined"] and state["link"] == base + second)
        assert one.strokes == {}
    sees_people(page, 3)
    draw(page, line(100, 300, 300, 300))
    for one in (model, other):
        until(lambda one=one: len(one.strokes), lambda count: count == 1)

    # A reset by the model, which leaves and activates a new session.
    model.tell("reset")
    until(lambda: path_of(page), lambda path: path not in ("", first, second))
    third = base + path_of(page)
    for one in (model, other):
        until(lambda one=one: one.state, lambda state: state["isJoined"] and state["link"] == third)
        assert one.strokes == {}
        one.sees_people(3)
    sees_people(page, 3)
    sees_paper(page, 200, 300)
    model.draw(line(100, 500, 300, 500))
    sees_ink(page, 200, 500)
    until(lambda: len(other.strokes), lambda count: count == 1)


@in_full
def test_the_model_gets_the_end_and_announces_leaving(chromium, open_page, start_model, base):
    page = open_page(chromium)
    path = share(page)
    model, other = start_model(), start_model()
    for one in (model, other):
        one.open(base + path)
    sees_people(page, 3)
    other.tell("leave")
    sees_people(page, 2)
    until(lambda: other.state, lambda state: state["link"] is None)
    model.tell("end")
    until(lambda: model.state, lambda state: state["link"] is None and not state["isJoined"])
    page.get_by_text("ended", exact=False).first.wait_for()
