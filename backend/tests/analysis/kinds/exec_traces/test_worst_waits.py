"""Which of the longest waits a page lists."""

from slowpath.analysis.kinds.exec_traces.trace_page_overview import WORST_OF_SIDE, WORST_OF_WAITER, _longest_of_side


def test_a_thundering_herd_does_not_displace_other_findings() -> None:
    herd, few = [0] * 50, [3] * 5
    longest = _longest_of_side(herd + few)
    assert len(longest) == WORST_OF_SIDE
    assert [at for at in longest if at >= len(herd)] == [50, 51]
    assert longest == sorted(longest), "longest first"
    assert longest[:5] == [0, 1, 2, 3, 4]


def test_few_waits_are_all_listed() -> None:
    assert _longest_of_side([]) == []
    assert _longest_of_side([2, 2, 2, 40]) == [0, 1, 2, 3]


def test_each_of_those_that_waited_most_has_some() -> None:
    waiters = [number for number in range(30) for _ in range(6)]
    listed = [waiters[at] for at in _longest_of_side(waiters)]
    assert all(listed.count(number) >= WORST_OF_WAITER for number in range(10))
