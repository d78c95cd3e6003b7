"""What a floor says to a person: whether a target is in reach, what is left for a model.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""

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
