"""Records of options: a command that has one as a parameter has all of its options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from functools import wraps
from typing import Any, Self, get_type_hints

from bayesfloor.shells.cli.command_errors import one_line_errors


class OptionRecord:
    """Options that belong together; a dataclass whose fields declare them."""

    __slots__ = ()

    @classmethod
    def parameters(cls) -> list[inspect.Parameter]:
        """Return the options as parameters of a command."""
        hints = get_type_hints(cls, include_extras=True)
        return [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=field.default,
                annotation=hints[field.name],
            )
            for field in fields(cls)  # type: ignore[arg-type]
        ]

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """Make the record from the values of its options."""
        return cls(**values)

    def keywords(self) -> dict[str, Any]:
        """Return the arguments of the library's calls that the options stand for."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def check(self) -> None:
        """Refuse what cannot be done, before anything is read."""

    @contextmanager
    def opened(self) -> Iterator[Self]:
        """Yield the record with what its options name opened, as long as the command runs."""
        yield self


def with_records(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of its records, and one line for what it cannot use."""
    signature = inspect.signature(command, eval_str=True)
    records = {
        name: parameter.annotation
        for name, parameter in signature.parameters.items()
        if inspect.isclass(parameter.annotation) and issubclass(parameter.annotation, OptionRecord)
    }
    options = {name: record.parameters() for name, record in records.items()}
    parameters = [
        one.replace(kind=one.KEYWORD_ONLY)
        for name, parameter in signature.parameters.items()
        for one in options.get(name, [parameter])
    ]

    @wraps(command)
    def run(**values: Any) -> None:
        with one_line_errors(), ExitStack() as stack:
            for name, record in records.items():
                own = {one.name: values.pop(one.name) for one in options[name]}
                values[name] = record.from_values(own)
                values[name].check()
            for name in records:
                values[name] = stack.enter_context(values[name].opened())
            command(**values)

    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run
