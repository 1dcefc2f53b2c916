"""Every `slowpath` line of the guide, the README, the pages and the command line is one that the command line accepts."""

import argparse
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from slowpath_cli.main import COMMANDS, make_parser

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = [ROOT / "README.md", ROOT / "worker/example/README.md", *sorted((ROOT / "frontend/docs").glob("**/*.md"))]
SOURCES = sorted(
    path
    for folder in ("frontend/src", "backend/slowpath", "worker/slowpath_cli", "worker/slowpath_worker")
    for suffix in ("py", "ts", "tsx")
    for path in (ROOT / folder).glob(f"**/*.{suffix}")
    if "generated" not in path.parts
)
NAMES = "|".join(sorted(COMMANDS, key=len, reverse=True))
LINE = re.compile(rf"^(?:npm .*slowpath -- |\./slowpath |slowpath )((?:{NAMES})\b.*)$")
MENTION = re.compile(rf"\bslowpath (?:-- )?({NAMES})\b([^`'\"\n]*)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z]\b")
END_OF_COMMAND = {"|", "&&", "||", ">", ";"}


def lines_of(document: Path) -> Iterator[str]:
    """Return the arguments of the command lines in the code blocks of a document."""
    for block in re.findall(r"```(?:sh|bash|yaml)\n(.*?)```", document.read_text(encoding="utf-8"), flags=re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            if found := LINE.match(line.strip().removeprefix("- ")):
                yield found[1]


LINES = [(path.name, line) for path in DOCUMENTS for line in lines_of(path)]
MENTIONS = {
    (path.name, found[1], option)
    for path in (*DOCUMENTS, *SOURCES)
    for found in MENTION.finditer(path.read_text(encoding="utf-8"))
    for option in OPTION.findall(found[2].split(" -- ")[0])
}


def known_options(parser: argparse.ArgumentParser) -> set[str]:
    """Return the options of a parser and of its subcommands."""
    options: set[str] = set()
    for action in parser._actions:
        options.update(action.option_strings)
        if isinstance(action, argparse._SubParsersAction):
            for part in action.choices.values():
                options |= known_options(part)
    return options


def test_the_documents_have_command_lines() -> None:
    assert len(LINES) > 20
    assert len(MENTIONS) > 20


@pytest.mark.parametrize(("document", "line"), LINES)
def test_a_documented_line_is_accepted(document: str, line: str) -> None:
    words = shlex.split(line, comments=True)
    ends = [at for at, word in enumerate(words) if word in END_OF_COMMAND]
    words = words[: min(ends, default=len(words))]

    options = make_parser(words[0]).parse_args(words, argparse.Namespace(words=words))

    assert hasattr(options, "run"), f"{document}: {line}"


@pytest.mark.parametrize("command", sorted({command for _, command, _ in MENTIONS}))
def test_the_options_that_texts_name_exist(command: str) -> None:
    known = known_options(make_parser(command))

    assert [each for each in sorted(MENTIONS) if each[1] == command and each[2] not in known] == []
