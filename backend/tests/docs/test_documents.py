"""README, user guide and developer documentation: links resolve, the README is short, banned words do not occur."""

import re
from pathlib import Path

import pytest

from tests.docs.banned_words import IN_DOCUMENTS, INLINE_CODE, ROOT, find_banned

DOCUMENTS = sorted(
    [ROOT / "README.md", *(ROOT / "frontend" / "docs").rglob("*.md"), *(ROOT / "backend" / "docs").rglob("*.md")]
)
README_LINES = 150
FENCED = re.compile(r"^(`{3,})[^\n]*\n.*?^\1[ \t]*$", flags=re.DOTALL | re.MULTILINE)
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)")
HEADING = re.compile(r"^(#{1,6}) +(.+?)\s*$", flags=re.MULTILINE)


def prose(text: str) -> str:
    """Return a document without its code blocks, with as many lines as before."""
    return FENCED.sub(lambda block: "\n" * block.group().count("\n"), text)


def name(path: Path) -> str:
    """Return a document's path below the project."""
    return path.relative_to(ROOT).as_posix()


def anchors(text: str) -> set[str]:
    """Return the anchors of all headings, as GitHub makes them: numbered where a heading is repeated."""
    found: set[str] = set()
    for match in HEADING.finditer(prose(text)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match.group(2)).replace("`", "").replace("*", "").lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        number = 0
        while (anchor := slug if number == 0 else f"{slug}-{number}") in found:
            number += 1
        found.add(anchor)
    return found


def broken_links(document: Path) -> list[str]:
    """Return the relative links of a document whose file or anchor does not exist."""
    broken = []
    for target in LINK.findall(INLINE_CODE.sub("", prose(document.read_text(encoding="utf-8")))):
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (document.parent / path).resolve() if path else document
        if not file.is_relative_to(ROOT) or not file.exists():
            broken.append(f"{target}: there is no such file")
        elif anchor and (file.suffix != ".md" or anchor not in anchors(file.read_text(encoding="utf-8"))):
            broken.append(f"{target}: there is no such heading")
    return broken


def banned_words(text: str) -> list[str]:
    """Return banned words in the prose of a document, with their lines."""
    return [f"line {line}: {word}" for line, word in find_banned(prose(text), IN_DOCUMENTS)]


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_every_relative_link_resolves(document: Path) -> None:
    assert broken_links(document) == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_no_banned_word_occurs(document: Path) -> None:
    assert banned_words(document.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_a_document_has_one_title(document: Path) -> None:
    titles = [found.group(2) for found in HEADING.finditer(prose(document.read_text(encoding="utf-8")))
              if len(found.group(1)) == 1]  # fmt: skip
    assert len(titles) == 1


def test_the_guide_links_into_its_own_folder_only() -> None:
    """The product renders these pages, so that a link out of the folder would lead nowhere."""
    guide = ROOT / "frontend" / "docs"
    for page in DOCUMENTS:
        if page.is_relative_to(guide):
            for target in LINK.findall(prose(page.read_text(encoding="utf-8"))):
                assert ":" in target or (page.parent / target.partition("#")[0]).resolve().is_relative_to(guide), target


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= README_LINES


@pytest.mark.parametrize("folder", ["frontend/docs", "backend/docs"])
def test_every_page_is_linked_from_another(folder: str) -> None:
    linked = {
        (document.parent / target.partition("#")[0]).resolve()
        for document in DOCUMENTS
        for target in LINK.findall(prose(document.read_text(encoding="utf-8")))
        if not re.match(r"[a-z][a-z0-9+.-]*:|#", target)
    }
    assert [name(page) for page in DOCUMENTS if page.is_relative_to(ROOT / folder) and page not in linked] == []


def test_a_broken_link_and_a_banned_word_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    (tmp_path / "other.md").write_text("# Other\n\n## A `code` word, twice\n\n## A `code` word, twice\n")
    page = tmp_path / "page.md"
    page.write_text(
        "# Page\n\n[a](other.md) [b](other.md#a-code-word-twice-1) [c](https://example.com/x) `[d](none.md)`\n"
        "```\n[e](none.md) told\n```\n[f](none.md) [g](other.md#none) [h](#page) [i](#none)\n\nIt is\nno `told` word.\n"
    )
    assert [broken.partition(":")[0] for broken in broken_links(page)] == ["none.md", "other.md#none", "#none"]
    assert banned_words(page.read_text()) == ["line 9: is no"]
