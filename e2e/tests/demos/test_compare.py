"""The small parts of demo:compare; the whole is played by a journey."""

import pytest
from httpx import Client

from demos.compare import first_of, folder_of, main, names
from support.demo_user import DemoFailed, call
from tests.collect.pprof_servers import Answering, Reply


@pytest.mark.parametrize(
    ("shown", "subject", "expected"),
    [
        ("1 Stack growth (morestack) takes more time", "stack-growth", True),
        ("1 ident.(*Pool).Clone takes more time", "ingester/ident.(*Pool).Clone", True),
        ("1 Maps take more time", "stack-growth", False),
        ("1 ident.(*Pool).Clone takes more time", "ingester/ident.cloneBytes", False),
    ],
)
def test_a_page_names_a_subject_or_not(shown: str, subject: str, expected: bool) -> None:
    assert names(shown, subject) is expected


def test_no_finding_gives_nulls() -> None:
    assert first_of({"verdict": "unchanged", "findings": []}) == {
        "verdict": "unchanged",
        "first_finding": None,
        "attributed_caller": None,
    }


def test_a_set_that_is_not_there_is_named() -> None:
    assert folder_of("helper").is_dir()
    with pytest.raises(DemoFailed, match=r"unknown set 'other'; choose from .*helper.*inlined.*pool"):
        folder_of("other")


def test_without_a_server_the_error_names_the_command(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SLOWPATH_URL", raising=False)
    assert main([]) == 2
    assert "npm run demo:compare" in capfd.readouterr().err


def test_the_result_of_the_server_is_printed() -> None:
    raised = pytest.raises(DemoFailed, match="GET /session: 503 not now")
    with Answering(lambda _: Reply(status=503, body=b"not now")) as server, Client() as http, raised:
        http.base_url = f"http://{server.address}"
        call(http, "GET", "/session")
