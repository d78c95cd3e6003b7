"""The exit code that a verdict gives with --check, so that a pipeline can stop on it."""

from __future__ import annotations

from bayesfloor.report.answer import BELOW, OUT_OF_REACH, UNDECIDED, Answer

CODES = {UNDECIDED: 3, OUT_OF_REACH: 4, BELOW: 5}
"""By verdict; all others are good, 0. 1 and 2 are bad data and wrong usage."""


def exit_code(answer: Answer) -> int:
    """Return the code of the worst verdict: the largest."""
    replies = (reply for replies in answer.replies.values() for reply in replies)
    return max((CODES.get(reply.verdict, 0) for reply in replies), default=0)
