"""What the page asks for becomes tasks: every field is checked here, before anything is queued."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from bayesfloor.base.errors import DataError
from bayesfloor.base.measures import DEFAULT_MEASURE, find_measure
from bayesfloor.base.options import check_choice, check_confidence, check_count, check_positive
from bayesfloor.report.answer import QUESTIONS, check_questions
from bayesfloor.shells.cli.values import accuracy, count, share
from bayesfloor.shells.web.board import MakeTask
from bayesfloor.shells.web.page_words import PAGE_FIELDS
from bayesfloor.shells.web.request_errors import RequestError
from bayesfloor.shells.web.uploads import Upload
from bayesfloor.shells.web.worker import ModelFile, RunTask
from bayesfloor.tables import (
    MIN_CLASS_ROWS,
    MISSING_CHOICES,
    SCALES,
    ReadOptions,
    check_encoding,
    check_separator,
)

MOST_FORM_BYTES = 4 * 2**20
"""Size of a form at most: the names of ten thousand columns, a judgement."""
MOST_TEXT = 10_000
"""Letters of a text in a form at most. A judgement."""


async def read_form(body: AsyncIterator[bytes]) -> dict[str, Any]:
    """Read a form, a JSON object."""
    data = b""
    async for piece in body:
        data += piece
        if len(data) > MOST_FORM_BYTES:
            raise RequestError(413, "The form is too large.")
    try:
        form = json.loads(data)
        json.dumps(form, ensure_ascii=False).encode()  # half a letter could not be sent back
    except UnicodeEncodeError:
        raise RequestError(400, "The form holds half a letter (a lone surrogate).") from None
    except (ValueError, RecursionError):
        form = None
    if not isinstance(form, dict):
        raise RequestError(400, "The form is no JSON object.")
    return form


def read_options(form: dict[str, Any], max_memory: int) -> ReadOptions:
    """Return how a file is to be read."""
    encoding = _text(form, "encoding")
    check_encoding(PAGE_FIELDS["encoding"], encoding)
    return ReadOptions(
        header=form.get("header", True) is not False,
        separator=check_separator(PAGE_FIELDS["separator"], _text(form, "separator")),
        encoding=encoding,
        table=_text(form, "table"),
        max_memory=max_memory,
    )


def run_task(form: dict[str, Any]) -> MakeTask:
    """Check what a run is asked for, and return what makes its task of a file."""
    label = _text(form, "label")
    if label is None:
        raise DataError("there is no label yet; choose one of the columns")
    asked = _questions(form)
    confidence = share(_text(form, "confidence") or "0.95")
    seconds = _number(form, "max_seconds")
    measuring: dict[str, Any] = {
        "confidence": check_confidence(PAGE_FIELDS["confidence"], confidence),
        "max_seconds": None
        if seconds is None
        else check_positive(PAGE_FIELDS["max_seconds"], seconds),
        "priors": _shares(form),
    }
    reading = {
        "missing": check_choice(
            PAGE_FIELDS["missing"], form.get("missing", "impute"), tuple(MISSING_CHOICES)
        ),
        "scale": check_choice(PAGE_FIELDS["scale"], form.get("scale", "standard"), tuple(SCALES)),
        "min_class_rows": _least_rows(form),
        **_aside(form),
    }
    key = _text(form, "key")
    unused = {key, *_aside(form).values()}
    drop, keep = (
        tuple(name for name in _names(form, ticked) if name not in unused)
        for ticked in ("drop", "keep")
    )

    def make(upload: Upload, options: ReadOptions, model: Upload | None) -> RunTask:
        _check_predictions(model, key, asked)
        file = None if model is None else ModelFile(model.path, model.name)
        asks = drop, keep, reading, measuring, asked, file, key
        return RunTask(upload.path, upload.name, options, label, *asks)

    return make


def _check_predictions(model: Upload | None, key: str | None, asked: dict[str, Any]) -> None:
    """Refuse a key without predictions, and an error of the model beside them."""
    if model is None and key is not None:
        raise DataError(
            f"{PAGE_FIELDS['key']} is about predictions; drop their file on the page too"
        )
    if model is not None and asked.get("model_error") is not None:
        field = _field_name("model_error")
        raise DataError(f"the predictions tell the error of your model; leave {field} empty")


def _aside(form: dict[str, Any]) -> dict[str, str]:
    """Return the columns that say which rows belong together; ticks have no say in them."""
    found = {name: _text(form, name) for name in ("groups", "time")}
    return {name: column for name, column in found.items() if column is not None}


def _shares(form: dict[str, Any]) -> dict[str, float | str] | None:
    """Return the shares of classes where a classifier will be used: "yes=2%; no=98%"."""
    typed = _text(form, "priors")
    if typed is None:
        return None
    pairs = [part.rpartition("=") for part in typed.split(";") if part.strip()]
    for name, _, value in pairs:
        if not name.strip():
            came = f"{PAGE_FIELDS['priors']} has {value.strip()!r} without a class"
            raise DataError(f"{came}; write them as yes=2%; no=98%")
    return {name.strip(): share(value) for name, _, value in pairs}


def _questions(form: dict[str, Any]) -> dict[str, Any]:
    """Return what is asked of the floor, parsed as on the command line."""
    listed = {name: _values(form, name) for name in QUESTIONS}
    check_questions(listed, _field_name)
    asked: dict[str, Any] = {
        name: values if QUESTIONS[name].takes_several else values[0]
        for name, values in listed.items()
        if values
    }
    asked["shown_as"] = find_measure(form.get("shown_as", DEFAULT_MEASURE), option="“Show”").name
    return asked


def _values(form: dict[str, Any], name: str) -> tuple[float | str, ...]:
    """Return the values of a question; several have spaces or semicolons between them."""
    typed, question = _text(form, name) or "", QUESTIONS[name]
    parts = [typed]
    if question.takes_several:
        parts = typed.replace(";", " ").replace(" %", "%").split()
    parse = count if question.is_count else share
    values = tuple(parse(part) for part in parts if part.strip())
    return tuple(map(accuracy, values)) if question.is_accuracy else values


def _field_name(name: str) -> str:
    return f"“{field_label(name)}”"


def field_label(name: str) -> str:
    """Return what the page calls a question.

    Examples
    --------
    >>> field_label("model_error")
    'Model error'
    """
    return name.replace("_", " ").capitalize()


def _least_rows(form: dict[str, Any]) -> int:
    typed = _number(form, "min_class_rows")
    if typed is None:
        return MIN_CLASS_ROWS
    whole = int(typed) if isinstance(typed, float) and typed.is_integer() else typed
    return check_count(PAGE_FIELDS["min_class_rows"], whole, low=0)


def _number(form: dict[str, Any], name: str) -> float | str | None:
    typed = _text(form, name)
    return None if typed is None else count(typed)


def _text(form: dict[str, Any], name: str) -> str | None:
    """Return a text of a form, None if it is empty."""
    value = form.get(name)
    if value is None or value == "":
        return None
    if not isinstance(value, str) or len(value) > MOST_TEXT:
        raise RequestError(400, f"The field {name} is no text.")
    return value


def _names(form: dict[str, Any], name: str) -> tuple[str, ...]:
    """Return a list of names of columns."""
    value = form.get(name, [])
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise RequestError(400, f"The field {name} is no list of names.")
    return tuple(value)
