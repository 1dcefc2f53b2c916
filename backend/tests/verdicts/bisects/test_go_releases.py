"""Go releases between two go.mod files, and the settings that changed in them."""

import pytest

from slowpath.verdicts.bisects.rules.go_releases import (
    GoRelease,
    GoSelection,
    changed_settings,
    invalid_setting,
    parse_release,
    patches_between,
    release_of,
    releases_between,
)


def selection(toolchain: str, go_line: str | None = None) -> GoSelection:
    found, line = parse_release(toolchain), parse_release(go_line or toolchain)
    assert found is not None
    assert line is not None
    return GoSelection(found, line)


@pytest.mark.parametrize(
    ("old", "new", "steps"),
    [
        (("1.20",), ("1.22.3",), [("1.21.0",), ("1.22.0",), ("1.22.3",)]),
        (("go1.22.5", "1.22"), ("go1.23.0", "1.22"), [("1.23.0", "1.22")]),
        (("1.26.3", "1.24"), ("1.26.3", "1.26.0"), [("1.26.3", "1.25.0"), ("1.26.3", "1.26.0")]),
        (("1.24.1", "1.22"), ("1.24.5", "1.23"), [("1.24.1", "1.23.0"), ("1.24.5", "1.23.0")]),
        (("1.23.0",), ("1.22.0",), []),
        (("1.23.0",), ("1.23.0",), []),
    ],
)
def test_releases_between(old: tuple[str, ...], new: tuple[str, ...], steps: list[tuple[str, ...]]) -> None:
    assert releases_between(selection(*old), selection(*new)) == [selection(*one) for one in steps]


def test_patch_releases_that_the_proxy_lacks_are_left_out() -> None:
    old, new = selection("1.24.0"), selection("1.24.4")
    assert len(patches_between(old, new)) == 4
    assert patches_between(old, new, {GoRelease(24, 2)}) == [selection("1.24.2"), selection("1.24.4")]
    assert patches_between(selection("1.23.0"), new) == []


def test_settings_follow_the_go_line_and_experiments_the_toolchain() -> None:
    both = {f"{one.variable}={one.value}" for one in changed_settings(selection("1.23.0"), selection("1.24.0"))}
    assert {"GOEXPERIMENT=noswissmap", "GODEBUG=tlsmlkem=0"} <= both
    only = changed_settings(selection("1.23.0", "1.23.0"), selection("1.24.0", "1.23.0"))
    assert {one.variable for one in only} == {"GOEXPERIMENT"}
    removed = changed_settings(selection("1.27.0", "1.22.0"), selection("1.27.0", "1.23.0"))
    assert [one.value for one in removed] == ["httpservecontentkeepheaders=1", "x509negativeserial=1"]


@pytest.mark.parametrize("text", ["1.22rc1", "go1.22.3-custom", "1.022", "2.0", "1.22.3.4", "1.22\n", "default", ""])
def test_other_versions_are_no_releases(text: str) -> None:
    assert parse_release(text) is None


def test_versions_of_the_toolchain_module() -> None:
    assert release_of("v0.0.1-go1.20") == GoRelease(20)
    assert release_of("v0.0.1-go1.24.3") == GoRelease(24, 3)
    for text in ("v0.0.1-go1.24", "v0.0.1-go1.24.3.linux-amd64", "v0.0.2-go1.24.3", "v0.0.1-go1.24.3\n", "go1.24.3"):
        assert release_of(text) is None, text


@pytest.mark.parametrize(
    ("name", "value", "part"),
    [
        ("GODEBUG", "asynctimerchan=1,tls3des=1", None),
        ("GODEBUG", "asynctimerchan=1,gctrace=1", "GODEBUG=gctrace=1"),
        ("GODEBUG", "", "GODEBUG="),
        ("GOEXPERIMENT", "noswissmap", None),
        ("GOEXPERIMENT", "none", "GOEXPERIMENT=none"),
        ("go", "1.23.0", None),
        ("go", "1.23.0\nreplace a => b", "go=1.23.0\nreplace a => b"),
        ("LD_PRELOAD", "x", "LD_PRELOAD=x"),
    ],
)
def test_settings_of_the_table_are_valid(name: str, value: str, part: str | None) -> None:
    assert invalid_setting(name, value) == part
