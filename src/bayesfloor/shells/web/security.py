"""Every request is checked before anything else sees it, and every answer says what it may do.

Other users of this machine reach the port, and pages from anywhere can send requests to it from the
user's own browser. Against the first stands a random token in the address; against the second the
token, the name of the host (a foreign name may point to this machine), and the origin of whatever
changes something.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse

TOKEN_BYTES = 24
"""Random bytes of the token: 192 bits."""
LOOPBACK_NAMES = frozenset(["127.0.0.1", "localhost", "::1"])
"""What the host may be called; its port may be another one, that of a tunnel."""
SAFE_METHODS = frozenset(["GET", "HEAD"])
"""Methods that change nothing."""
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self';"
    " img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
    " require-trusted-types-for 'script'; trusted-types 'none'"
)
"""Content security policy of the page: its own files and nothing else, no text taken for HTML."""
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'self'; sandbox allow-same-origin allow-popups"
)
"""Content security policy of a report, which has its style inside and no script."""
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": PAGE_POLICY,
}
"""What every answer says, unless it says otherwise itself."""


def new_token() -> str:
    """Return a token for the address."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def refusal(
    method: str, path: str, headers: Mapping[str, str], token: str
) -> tuple[int, str] | None:
    """Return the status and the reason if a request is refused, or None.

    Parameters
    ----------
    method, path : str
        Of the request; the first part of the path has to be the token.
    headers : mapping
        Of the request, names in lower case.
    token : str
        The token of this server.
    """
    host = headers.get("host", "")
    if _host_name(host) not in LOOPBACK_NAMES:
        return 421, "This server answers to 127.0.0.1 and localhost only."
    first = path.lstrip("/").split("/", 1)[0]
    if not secrets.compare_digest(first.encode(), token.encode()):
        return 404, "Not found. Open the address that bayesfloor serve has printed."
    if method not in SAFE_METHODS and headers.get("origin") != f"http://{host}":
        return 403, "Requests come from the page itself only."
    if not _comes_from_here(method, headers):
        return 403, "Requests come from the page itself only."
    return None


def _host_name(host: str) -> str | None:
    try:
        return urlsplit(f"http://{host}").hostname
    except ValueError:
        return None


def _comes_from_here(method: str, headers: Mapping[str, str]) -> bool:
    """Tell whether the page sent a request, or somebody opened an address; old browsers pass."""
    site, dest = headers.get("sec-fetch-site"), headers.get("sec-fetch-dest")
    opened = method in SAFE_METHODS and dest == "document"
    return site in (None, "same-origin", "none") or opened


class Guard:
    """The outermost layer of the application: refuses, or passes on and adds headers."""

    def __init__(self, app: Any, token: str) -> None:
        self._app, self._token = app, token

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request, or have it answered."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        refused = refusal(scope["method"], scope["path"], Headers(scope=scope), self._token)
        answer = self._app if refused is None else PlainTextResponse(refused[1], refused[0])

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await asyncio.sleep(0)  # a connection whose first bytes are broken is noted as lost now
        await answer(scope, receive, send_with_headers)
