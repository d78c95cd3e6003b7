"""What a floor says to a person: whether a target is in reach, what is left for a model.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.base.late_imports import late_names

if TYPE_CHECKING:
    from bayesfloor.report.answer.questions import (
        QUESTIONS,
        Answer,
        Question,
        answer,
        check_questions,
    )
    from bayesfloor.report.answer.target_table import TargetTable
    from bayesfloor.report.answer.verdicts import (
        ALREADY_MET,
        BELOW,
        OUT_OF_REACH,
        REACHABLE,
        ROOM,
        TRIVIAL,
        UNDECIDED,
        WITHIN,
        Asked,
        ModelAnswer,
        Reply,
        TargetAnswer,
    )
    from bayesfloor.report.answer.wording import has_no_limit, nobody, summary_sentences

__all__ = [
    "ALREADY_MET",
    "BELOW",
    "OUT_OF_REACH",
    "QUESTIONS",
    "REACHABLE",
    "ROOM",
    "TRIVIAL",
    "UNDECIDED",
    "WITHIN",
    "Answer",
    "Asked",
    "ModelAnswer",
    "Question",
    "Reply",
    "TargetAnswer",
    "TargetTable",
    "answer",
    "check_questions",
    "has_no_limit",
    "nobody",
    "summary_sentences",
]

__getattr__ = late_names(
    __name__,
    {
        "questions": (
            "QUESTIONS",
            "Answer",
            "Question",
            "answer",
            "check_questions",
        ),
        "target_table": ("TargetTable",),
        "verdicts": (
            "ALREADY_MET",
            "BELOW",
            "OUT_OF_REACH",
            "REACHABLE",
            "ROOM",
            "TRIVIAL",
            "UNDECIDED",
            "WITHIN",
            "Asked",
            "ModelAnswer",
            "Reply",
            "TargetAnswer",
        ),
        "wording": (
            "has_no_limit",
            "nobody",
            "summary_sentences",
        ),
    },
)
