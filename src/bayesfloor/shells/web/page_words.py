"""Messages of the library name its parameters; on the page these are fields and ticks."""

from __future__ import annotations

import re

PAGE_FIELDS = {
    "drop": "the ticks in the list of columns",
    "features": "the ticks in the list of columns",
    "keep": "the ticks in the list of columns",
    "label": "the label in the list of columns",
    "missing": "“Missing values”",
    "scale": "“Scale of numbers”",
    "min_class_rows": "“Least rows of a class”",
    "separator": "“Separator”",
    "encoding": "“Encoding”",
    "table": "“Table of the database”",
    "query": "the command line",
    "max_memory": "--max-memory of bayesfloor serve",
    "workers": "threads",
    "confidence": "“Confidence”",
    "priors": "“Class shares”",
    "groups": "“Rows that belong together”",
    "time": "“Order in time”",
    "max_seconds": "“Time limit”",
    "key": "“Rows are matched by”",
}
"""What the page calls a parameter."""
PARAMETER_ON_PAGE = re.compile(rf"(?<![\w'\"])({'|'.join(PAGE_FIELDS)})=(\"[^\"]*\"|\d+)?")
"""Matches a parameter of the library in a message, with its value if it has one."""
SUBJECT_ON_PAGE = re.compile(r"(?<![\w'\"])priors(?= (?:names|has|is|lacks|sum)\b)")
"""Matches class shares where a message is about them."""
TWICE = re.compile(r"(the ticks in the list of columns) (?:and|or) \1")
"""Matches two parameters that are the same on the page."""
HEADER_ON_PAGE = re.compile(r"(?<![\w'\"])header=False")
"""Matches the parameter that says that there is no line of names."""


def page_words(message: str) -> str:
    """Write the parameters that a message names as the page calls them.

    Examples
    --------
    >>> page_words('pass missing="drop", or leave it out with drop=')
    'pass “Missing values” drop, or leave it out with the ticks in the list of columns'
    >>> page_words("features= and drop= leave no column")
    'the ticks in the list of columns leave no column'
    >>> page_words("priors sum to 0.9; pass shares that sum to 1")
    '“Class shares” sum to 0.9; pass shares that sum to 1'
    """
    message = HEADER_ON_PAGE.sub("“The first line is a row”", message)
    message = SUBJECT_ON_PAGE.sub(PAGE_FIELDS["priors"], message)
    return TWICE.sub(r"\1", PARAMETER_ON_PAGE.sub(_field, message))


def _field(found: re.Match[str]) -> str:
    value = (found[2] or "").strip('"')
    return f"{PAGE_FIELDS[found[1]]} {value}".rstrip()
