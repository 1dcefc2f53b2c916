"""What is taken out, and what stays: names of functions are no hosts, and the same thing has the same pseudonym everywhere."""

import json
import time
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowpath.analysis.formats.column_file import pack_strings, read_columns, write_columns
from slowpath.analysis.scrubbing.scrubber import Scrubber

MEMBERS = (("Ann Smith", "ann.smith@corp.example"), ("Bo", "bo@corp.example"))


def scrubber(**on: bool) -> Scrubber:
    return Scrubber(MEMBERS, **{"labels": True, "paths": True, "hosts": True, "users": True, **on})


def scrubbed(document: Any, **on: bool) -> Any:  # noqa: ANN401 - any JSON value
    one, content = scrubber(**on), json.dumps(document).encode()
    one.learn("application/json", content)
    return json.loads(one.content("application/json", content))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see https://ci.corp.example:8443/job/7?token=hunter2#x", "see https://host-1/job/7"),
        ("https://bot:hunter2@git.corp.example/x.git", "https://host-1/x.git"),
        ("https://github.com/grafana/mimir/pull/7", "https://github.com/grafana/mimir/pull/7"),
        ("git@git.corp.example:team/svc.git", "git@host-1:team/svc.git"),
        ("slow on db-7.prod.eu.corp.internal:5432", "slow on host-1:5432"),
        ("api.grafana.net is slow", "host-1 is slow"),
        ("at 10.1.2.3:9090 and 10.1.2.3", "at host-1:9090 and host-1"),
        ("[2001:db8::7]:443", "host-1:443"),
        ("ip-10-1-2-3.eu-west-1.compute.internal", "host-1"),
        ("pod ingester-7f9c4d5b66-x2x4z restarted", "pod host-1 restarted"),
        ("/home/runner/work/svc/internal/server.go", "server.go"),
        ("/home/Ann Smith/svc/server.go", "server.go"),
        ("built in /build/7/src:12 with -I/opt/secret/include", "built in src:12 with -Iinclude"),
        (r"C:\Users\ann\src\svc\main.go", "main.go"),
        ("/home/ann", "~"),
        ("file:///home/ann/notes.txt", "file:///notes.txt"),
        ("mail ops-team@corp.example", "mail person-3"),
        ("thanks to ann smith and ANN.SMITH@corp.example", "thanks to person-1 and person-1"),
    ],
)
def test_texts_like_secrets_are_removed(text: str, shown: str) -> None:
    one = scrubber()
    one.learn_text(text)
    assert one.text(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "github.com/grafana/mimir/pkg/ingester.(*Ingester).Push",
        "example.com/team/svc/store.Write.func1",
        "runtime.mallocgc",
        "main.run",
        "net/http.(*conn).serve",
        "sync.(*Mutex).Lock",
        "google.golang.org/grpc/internal/transport.(*http2Client).reader",
        "github.com/x/y@v1.2.3/z.go",
        "go1.22.3",
        "profile.cpu",
        "server.go",
        "12:30:45",
        "2026-11-21T12:00:00.123Z",
        "1.5 ns/op and 3 B/s",
        "std::vector",
        "127.0.0.1:8080",
        "localhost:8080",
        "GC assist and/or mark",
        "share of the total, 12.5 % to 13.1 %",
        "3f0c9a40-7c1e-4c61-8f57-3f2a1f0a1b2c",
        "v1.2.3-20260101120000-abcdef012345",
    ],
)
def test_similar_texts_stay(text: str) -> None:
    assert scrubber().text(text) == text


def test_labels_are_learned_by_field_and_removed_everywhere() -> None:
    document = {
        "spans": [
            {"op": "GET", "attributes": [["customer", "acme-4711"], ["http.method", "GET"], ["note", "slow"]]},
            {"op": "POST", "labels": {"customer": "acme-4711", "zone": "Umbrella"}},
            {"resource": [{"key": "tenant", "value": "acme-4711"}, {"key": "n", "value": 48213}]},
        ],
        "sentence": "acme-4711 pays most, then Umbrella; slow is a word",
    }
    out = scrubbed(document)
    assert out["spans"][0]["attributes"] == [["customer", "label-1"], ["http.method", "GET"], ["note", "label-2"]]
    assert out["spans"][1]["labels"] == {"customer": "label-1", "zone": "label-3"}
    assert out["spans"][2]["resource"][0]["value"] == "label-1"
    assert out["spans"][2]["resource"][1]["value"].startswith("label-")
    assert out["sentence"] == "label-1 pays most, then label-3; slow is a word"


def test_hosts_and_people_are_known_by_the_field() -> None:
    document = {
        "instance": "ingester-a-0",
        "author_name": "Zoë Q",
        "author_email": "zq@x.example",
        "message": "Fix\n\nCo-authored-by: Max Mustermann <max@m.example>\n",
        "created_by": {"id": "3f0c9a40-7c1e-4c61-8f57-3f2a1f0a1b2c", "name": "Gone Person"},
        "text": "ingester-a-0 was slow, says Zoë Q to Max Mustermann and Gone Person",
        "by": None,
        "assignee": {"id": "3f0c9a40-7c1e-4c61-8f57-3f2a1f0a1b2c", "name": "Bo"},
    }
    text = json.dumps(scrubbed(document), ensure_ascii=False)
    for secret in ("ingester-a-0", "Zoë", "zq@", "Mustermann", "max@", "Gone Person", '"Bo"'):
        assert secret not in text
    out = scrubbed(document)
    assert out["author_name"] == out["author_email"]
    assert out["assignee"] == {"id": "3f0c9a40-7c1e-4c61-8f57-3f2a1f0a1b2c", "name": "person-2"}


def test_strings_of_columns_are_taken_out_and_nothing_else_changes() -> None:
    texts = ["", "/home/ann/svc/main.go", "github.com/x/y.F", "db.prod.internal", "wörd"]
    arrays = {"node": np.arange(5, dtype=np.uint32), **pack_strings(texts)}
    one = scrubber()
    content = write_columns({"format": "slowpath.diff", "format_version": 1, "base": {"label": "x"}}, arrays)
    one.learn("application/octet-stream", content)
    columns = read_columns(one.content("application/octet-stream", content), "slowpath.diff")
    assert columns.header["base"] == {"label": "x"}
    assert columns.arrays["node"].tolist() == [0, 1, 2, 3, 4]
    offsets, packed = columns.arrays["strings_offset"].tolist(), columns.arrays["strings_bytes"].tobytes()
    shown = [packed[begin:end].decode() for begin, end in pairwise(offsets)]
    assert shown == ["", "main.go", "github.com/x/y.F", "host-1", "wörd"]


def test_a_disabled_channel_stays_disabled() -> None:
    document = {
        "labels": {"customer": "acme-4711"},
        "instance": "web01.corp.internal",
        "file": "/a/b/c.go",
        "by": "Ann Smith",
    }
    assert scrubbed(document, labels=False, paths=False, hosts=False, users=False) == document
    assert scrubbed(document, hosts=False, users=False, labels=False)["file"] == "c.go"


def test_unreadable_entries_are_not_shown() -> None:
    assert scrubber().content("application/octet-stream", b"\x00\xffsecret") == b""
    assert scrubber().content("application/octet-stream", b"slowcol1secret") == b""
    assert scrubber().content("application/json", b"") == b""


def test_removed_values_are_summarized() -> None:
    one = scrubber()
    one.text("10.1.2.3 and 10.1.2.3 and /a/b/c.go")
    assert one.found["hosts"] == {"10.1.2.3": "host-1"}
    assert one.found["paths"] == {"/a/b/c.go": "c.go"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["labels", "attributes", "instance", "by", "kind", "key", "value", "name", "x"]), inner
        )
    ),
    max_leaves=20,
)


@given(JSON)
def test_any_document_can_be_taken_through(document: Any) -> None:  # noqa: ANN401 - any JSON value
    one, content = scrubber(), json.dumps(document).encode()
    one.learn("application/json", content)
    once = one.content("application/json", content)
    json.loads(once)
    assert one.content("application/json", content) == once


@given(st.text())
def test_any_text_can_be_taken_through(text: str) -> None:
    one = scrubber()
    one.learn_text(text)
    one.text(text)


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "a.",
        "a-",
        "1:",
        "/a",
        "/",
        "x@",
        "\\\\a",
        "https://",
        "ip-1-",
        "[::",
        "aaaaaaaa-",
        "Co-authored-by: ",
        "://",
    ],
)
def test_a_hostile_text_takes_no_more_time_than_a_plain_one(piece: str) -> None:
    """A pattern that looks again from every letter would take minutes for this; it takes a part of a second."""
    text = piece * (200_000 // len(piece))
    one = scrubber()
    started = time.process_time()
    one.learn_text(text)
    one.text(text)
    assert time.process_time() - started < 10
