"""The go.mod, go.work and environment of a build with a chosen Go release."""

from pathlib import Path

import pytest

from slowpath_cli.local_bisect.go_toolchain import go_environment, write_go_lines

VERSION = "v0.0.1-go1.24.0"


def written(root: Path, override: dict[str, str], **files: str) -> dict[str, str]:
    for name, text in files.items():
        place = root / name.replace("__", "/").replace("_", ".")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    write_go_lines(root / "svc", root, {"version": VERSION, **override})
    return {name: (root / name.replace("__", "/").replace("_", ".")).read_text() for name in files}


def test_the_go_line_is_replaced_and_the_toolchain_line_removed(tmp_path: Path) -> None:
    mod = "module m\n\ngo 1.22 // why\n\ntoolchain go1.22.5\n\nrequire (\n\tgo.example/x v1.0.0\n)\n"
    found = written(tmp_path, {"go": "1.24.0"}, svc__go_mod=mod)["svc__go_mod"]
    assert found == "module m\n\ngo 1.24.0\n\n\n\nrequire (\n\tgo.example/x v1.0.0\n)\n"


def test_a_newer_go_line_is_not_lowered(tmp_path: Path) -> None:
    found = written(tmp_path, {"go": "1.24.0"}, svc__go_mod="module m\n\ngo 1.22\n", go_work="go 1.25.0\n\nuse ./svc\n")
    assert found == {"svc__go_mod": "module m\n\ngo 1.24.0\n", "go_work": "go 1.25.0\n\nuse ./svc\n"}


def test_former_defaults_are_added_where_go_mod_has_none(tmp_path: Path) -> None:
    mod = "module m\n\ngo 1.24.0\n\ngodebug (\n\ttls3des=0\n)\n"
    settings = {"GODEBUG": "asynctimerchan=1,tls3des=1"}
    assert written(tmp_path, settings, svc__go_mod=mod)["svc__go_mod"] == mod + "godebug asynctimerchan=1\n"


def test_releases_without_godebug_lines_get_none(tmp_path: Path) -> None:
    mod = "module m\n\ngo 1.22.0\n"
    override = {"version": "v0.0.1-go1.22.0", "GODEBUG": "httpmuxgo121=1"}
    assert written(tmp_path, override, svc__go_mod=mod)["svc__go_mod"] == mod


def test_a_work_file_outside_of_the_repository_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "go.work").write_text("go 1.22\n")
    written(tmp_path / "r", {"go": "1.24.0"}, svc__go_mod="module m\n\ngo 1.22\n")
    assert (tmp_path / "go.work").read_text() == "go 1.22\n"


def test_the_environment_adds_to_existing_settings() -> None:
    override = {"version": VERSION, "go": "1.24.0", "GODEBUG": "tlsmlkem=0"}
    assert go_environment(override, {"GODEBUG": "gctrace=1", "GOEXPERIMENT": "x"}) == {
        "GOTOOLCHAIN": "go1.24.0", "GODEBUG": "gctrace=1,tlsmlkem=0",
    }  # fmt: skip
    with pytest.raises(ValueError, match="not a version"):
        go_environment({"version": "v0.0.1-go1.24rc1"}, {})
