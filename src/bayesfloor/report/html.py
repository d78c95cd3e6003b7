"""Pages from Jinja templates: what users wrote is escaped, and nothing is loaded or run.

Every page extends `base.html`, which has the style that pages share and a content security policy
that forbids scripts and requests.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from bayesfloor import __version__

if TYPE_CHECKING:
    from jinja2 import Environment

BASE = "bayesfloor.report"
"""The package whose templates all others may extend."""


def render_template(package: str, name: str, **values: Any) -> str:
    """Fill in a template of a package; the same values give the same bytes."""
    return _environment(package).get_template(name).render(version=__version__, **values)


@cache
def _environment(package: str) -> Environment:
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in dict.fromkeys((package, BASE))]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
