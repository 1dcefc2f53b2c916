"""Former names of options and commands: accepted for one release, with a warning on stderr."""

import argparse
import sys
from collections.abc import Sequence
from typing import Any


class _FormerOption(argparse.Action):
    """An option that prints a warning and passes its values to its replacement."""

    def __init__(self, option_strings: Sequence[str], dest: str, replacement: argparse.Action, **_: object) -> None:
        """Accept the same values as `replacement`; hidden from the help."""
        super().__init__(
            option_strings,
            dest,
            nargs=replacement.nargs,
            type=None if isinstance(replacement.type, str) else replacement.type,
            choices=replacement.choices,
            default=argparse.SUPPRESS,
            help=argparse.SUPPRESS,
        )
        self._replacement = replacement

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,  # noqa: ANN401 - as argparse declares it
        option_string: str | None = None,
    ) -> None:
        """Warn, and set the value of the replacement."""
        warn_renamed(option_string or self.option_strings[0], self._replacement.option_strings[0])
        self._replacement(parser, namespace, values, self._replacement.option_strings[0])


def accept_former_name(
    parser: "argparse.ArgumentParser | argparse._ArgumentGroup", replacement: argparse.Action, *names: str
) -> None:
    """Accept `names` in place of the option `replacement`, with a warning."""
    parser.add_argument(*names, action=_FormerOption, dest=replacement.dest, replacement=replacement)


def warn_renamed(old: str, new: str) -> None:
    """Print a warning that a name was replaced."""
    print(f"slowpath: {old} is now {new}; the old name will be removed in the next release.", file=sys.stderr)
