"""Who may send requests to the page's server, and what its answers allow."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="wants the extra: pip install 'bayesfloor[web]'")

from bayesfloor.shells.web.security import new_token, refusal

TOKEN = "the-token"
HERE = {"host": "127.0.0.1:8000", "origin": "http://127.0.0.1:8000"}


def status(method: str, path: str, **headers: str) -> int:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    refused = refusal(method, path, HERE | named, TOKEN)
    return 200 if refused is None else refused[0]


def test_the_token_is_needed_and_cannot_be_guessed() -> None:
    assert status("GET", f"/{TOKEN}/") == 200
    for path in ("/", "", "/the-toke/", "/the-tokenx/", f"/x/{TOKEN}/", "/THE-TOKEN/", "/ü/"):
        assert status("GET", path) == 404
    assert len({new_token() for _ in range(100)}) == 100
    assert len(new_token()) == 32


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "0.0.0.0:8000", "", "[", "192.168.0.1:8000"]
)
def test_a_foreign_name_for_this_machine_is_refused(host: str) -> None:
    assert status("GET", f"/{TOKEN}/", host=host) == 421


@pytest.mark.parametrize("host", ["localhost:8000", "[::1]:8000", "127.0.0.1:9999", "LOCALHOST"])
def test_this_machine_may_be_called_by_its_names_and_through_a_tunnel(host: str) -> None:
    assert status("POST", f"/{TOKEN}/visits", host=host, origin=f"http://{host}") == 200


@pytest.mark.parametrize("method", ["POST", "DELETE", "PUT", "PATCH", "OPTIONS"])
@pytest.mark.parametrize(
    "origin", ["", "null", "http://evil.example", "https://127.0.0.1:8000", "http://127.0.0.1:80"]
)
def test_only_the_page_itself_changes_anything(method: str, origin: str) -> None:
    assert status(method, f"/{TOKEN}/visits", origin=origin) == 403
    assert status(method, f"/{TOKEN}/visits") == 200


def test_other_pages_may_link_here_but_not_look() -> None:
    for site in ("cross-site", "same-site"):
        assert status("GET", f"/{TOKEN}/", sec_fetch_site=site, sec_fetch_dest="document") == 200
        assert status("GET", f"/{TOKEN}/", sec_fetch_site=site, sec_fetch_dest="iframe") == 403
        assert status("GET", f"/{TOKEN}/", sec_fetch_site=site) == 403
        assert status("POST", f"/{TOKEN}/", sec_fetch_site=site, sec_fetch_dest="document") == 403
    assert status("GET", f"/{TOKEN}/", sec_fetch_site="none") == 200
