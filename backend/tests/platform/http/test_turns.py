"""The order in which pushes are read: one of each sender at a time, so that many of one do not delay another's."""

import pytest
from anyio import create_task_group, run, sleep
from anyio.lowlevel import checkpoint

from slowpath.core.errors import Unavailable
from slowpath.platform.http.turns import Turns


def test_many_pushes_of_one_sender_leave_room_for_another() -> None:
    turns, began, at_once = Turns(at_once=2, most_waiting=10), [], {"loud": 0, "most": 0}

    async def push(sender: str) -> None:
        async with turns.of(sender):
            began.append(sender)
            at_once["loud"] += sender == "loud"
            at_once["most"] = max(at_once["most"], at_once["loud"])
            await sleep(0.01)
            at_once["loud"] -= sender == "loud"

    async def play() -> None:
        async with create_task_group() as group:
            for _ in range(10):
                group.start_soon(push, "loud")
            await checkpoint()
            group.start_soon(push, "quiet")

    run(play)

    assert began.index("quiet") <= 1
    assert at_once["most"] == 1
    assert len(began) == 11


def test_a_sender_with_too_many_waiting_requests_gets_retry_after() -> None:
    turns = Turns(at_once=1, most_waiting=1)

    async def play() -> None:
        async with turns.of("loud"):
            with pytest.raises(Unavailable, match="are waiting"):
                async with turns.of("loud"):
                    pass
        async with turns.of("loud"):
            pass

    run(play)
