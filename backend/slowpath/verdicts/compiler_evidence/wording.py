"""Sentences on executables that a comparison lacks."""

from collections.abc import Collection

SHOWN_DIGITS = 12
UPLOAD = "Upload the programs that the profiles were recorded from, with their builds or by hand. The build IDs have to be equal."


def describe_none() -> str:
    """Return the sentence of a comparison without any executable."""
    return "No executable of either side is stored."


def describe_missing(side: str) -> str:
    """Return the sentence of a side without an executable."""
    return f"No executable of the {side} is stored."


def describe_decoding(side: str) -> str:
    """Return the sentence of a side whose executable is not decoded yet."""
    return f"The executable of the {side} is still being decoded."


def describe_unread(side: str, name: str) -> str:
    """Return the sentence of a side with an executable that could not be read."""
    return f"The functions of {name}, the executable of the {side}, could not be read: see the warnings on its page."


def describe_other_build(side: str, executable: str, profiles: Collection[str]) -> str:
    """Return the sentence of a side whose executable has another build ID than its profiles."""
    named = ", ".join(each[:SHOWN_DIGITS] for each in sorted(profiles)[:3])
    return f"The executable of the {side} has the build ID {executable[:SHOWN_DIGITS]}, its profiles have {named}."


def describe_architectures(base: str, candidate: str) -> str:
    """Return the sentence of executables that cannot be compared."""
    return f"The executables are for different architectures: {base} in the base, {candidate} in the candidate."


def describe_later() -> str:
    """Return the sentence of executables that were stored after the comparison was computed."""
    return "Executables of both sides are stored now. The comparison was computed without them."
