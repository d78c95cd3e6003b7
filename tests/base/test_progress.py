from __future__ import annotations

from bayesfloor.base.progress import progress_bar, telling_progress


def test_a_listener_hears_what_a_bar_would_show() -> None:
    heard: list[tuple[str, float]] = []
    with telling_progress(lambda what, share: heard.append((what, share))):
        with progress_bar("Counting", 4, show=True) as advance:
            assert advance is not None
            advance(1)
            advance(2, "nearly")
            advance(3)
        with progress_bar("Hidden", 4, show=False) as hidden:
            assert hidden is None
        with progress_bar("Nothing to do", 0, show=True):
            pass
    expected = [("Counting", 0.0), ("Counting", 0.25), ("Counting", 0.75), ("Counting", 1.0)]
    assert heard == [*expected, ("Nothing to do", 0.0)]
    with progress_bar("Outside", 1, show=True) as advance:
        assert advance is not None
        advance(1)
    assert len(heard) == 5
