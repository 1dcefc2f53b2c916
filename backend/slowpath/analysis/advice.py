"""One page of texts: what each category means, and what usually helps. Written by hand, to be reviewed as prose.

Keyed by category, and where it matters by the category of the entry (the runtime function that user code called):
channel operations spend half of their time in runtime locks, and string conversions most of theirs in allocation,
so the category alone would name the wrong cause.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Text:
    """What people call it, what happens, and what to do."""

    title: str
    mechanism: str
    advice: str


TEXTS: dict[str, Text] = {
    "total": Text("All CPU", "", ""),
    "app": Text("The application's own code", "The code itself does more work.", "Look at the functions below."),
}


def text_for(category: str, entry_category: str | None = None) -> Text:
    """The text of a category, by its entry where one is known."""
    del entry_category
    return TEXTS.get(category, Text(category, "", ""))
