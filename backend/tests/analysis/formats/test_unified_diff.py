"""Patches as data: contents of files are never taken for headers of git, and everything is bounded."""

from hypothesis import given
from hypothesis import strategies as st

from slowpath.analysis.bisect.commit_suspicion import CommitChanges, RegressedCode, package_of, suspicion
from slowpath.analysis.formats.unified_diff import (
    MOST_COLUMNS,
    MOST_FILE_LINES,
    MOST_FILES,
    as_json,
    parse_unified_diff,
)

PATCH = """diff --git a/a.go b/a.go
index 7898192..e6838bd 100644
--- a/a.go
+++ b/a.go
@@ -1,3 +1,3 @@ func Get() {
 same
-diff --git a/x b/y
+@@ -1 +1 @@
 --- a/no
\\ No newline at end of file
diff --git a/old name b/new name
similarity index 100%
rename from old name
rename to new name
diff --git "a/t\\tab" "b/t\\tab"
new file mode 100644
Binary files /dev/null and "b/t\\tab" differ
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-x
"""


def test_files_and_lines() -> None:
    found = parse_unified_diff(PATCH)
    assert [(one.old_path, one.new_path, one.binary) for one in found.files] == [
        ("a.go", "a.go", False), ("old name", "new name", False), (None, "t\tab", True), ("gone", None, False),
    ]  # fmt: skip
    [hunk] = found.files[0].hunks
    assert (hunk.old_start, hunk.heading) == (1, "func Get() {")
    assert hunk.lines == [" same", "-diff --git a/x b/y", "+@@ -1 +1 @@", " --- a/no"]
    assert found.files[3].hunks[0].lines == ["-x"]
    assert not found.cut
    assert as_json(found)["files"][1]["hunks"] == []


def test_excess_rows_are_omitted_and_counted() -> None:
    many = "".join(f"diff --git a/{n} b/{n}\n" for n in range(MOST_FILES + 5))
    assert (len(parse_unified_diff(many).files), parse_unified_diff(many).cut) == (MOST_FILES, True)
    long = f"diff --git a/x b/x\n@@ -0,0 +1,{MOST_FILE_LINES + 7} @@\n" + "+y\n" * (MOST_FILE_LINES + 7)
    [file] = parse_unified_diff(long).files
    assert (len(file.hunks[0].lines), file.left_out, parse_unified_diff(long).cut) == (MOST_FILE_LINES, 7, True)
    wide = f"diff --git a/x b/x\n@@ -0,0 +1 @@\n+{'w' * 70_000}\n"
    assert len(parse_unified_diff(wide).files[0].hunks[0].lines[0]) == MOST_COLUMNS


@given(st.text(alphabet='diff --git a/b@+-"\\\n 019,', max_size=400))
def test_any_patch_is_parsed_or_rejected(text: str) -> None:
    parse_unified_diff("diff --git a/x b/x\n" + text)


def test_touched_files_raise_the_suspicion_of_a_commit() -> None:
    regressed = RegressedCode(
        ("example.org/app/store.(*Store[go.shape.int]).Get", "example.org/lib/deep.F", "main.main"),
        ("/src/app/far/f.go",),
        "cmd/x",
    )

    def weight(
        *paths: str, modules: tuple[str, ...] = (), lines: int | None = None, binary: bool | None = None
    ) -> float:
        return suspicion(CommitChanges(paths, modules, lines, binary), regressed).weight

    nothing = weight("README.md")
    assert nothing == 1.0
    assert weight("store/get_test.go") == nothing
    assert weight("far/f.go") > weight("store/get.go") > weight("a.go", modules=("other.org/x",)) > nothing
    assert weight("cmd/x/main.go") == weight("store/get.go")
    assert weight(modules=("example.org/lib",)) > weight(modules=("go",)) > nothing
    assert nothing < weight("a.go", lines=10) < weight("a.go", lines=10_000)
    assert weight("far/f.go", binary=False) == 0.0
    assert package_of("a.org/b/c.(*T[d.org/e.F]).G") == "a.org/b/c"
