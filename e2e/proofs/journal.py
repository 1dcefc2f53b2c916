"""The history of each job and profile, written by triggers of the database, so that no change is missed."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import psycopg

TRIGGERS = """
CREATE TABLE IF NOT EXISTS journal (
    at double precision NOT NULL DEFAULT extract(epoch FROM clock_timestamp()),
    subject uuid NOT NULL, what text NOT NULL, fence bigint
);
CREATE OR REPLACE FUNCTION note_job() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF NEW.fencing_token > OLD.fencing_token OR NEW.state <> OLD.state THEN
        INSERT INTO public.journal (subject, what, fence)
        VALUES (NEW.id, CASE WHEN NEW.fencing_token > OLD.fencing_token THEN 'claimed' ELSE NEW.state END, NEW.fencing_token);
    ELSIF NEW.send_count > OLD.send_count THEN
        INSERT INTO public.journal (subject, what, fence) VALUES (NEW.id, 'sent', NEW.fencing_token);
    END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION note_profile() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    INSERT INTO public.journal (subject, what) VALUES (NEW.id, 'profile ' || lower(TG_OP));
    RETURN NULL;
END $$;
DROP TRIGGER IF EXISTS note ON job;
CREATE TRIGGER note AFTER UPDATE ON job FOR EACH ROW EXECUTE FUNCTION note_job();
DROP TRIGGER IF EXISTS note ON profile;
CREATE TRIGGER note AFTER INSERT OR UPDATE ON profile FOR EACH ROW EXECUTE FUNCTION note_profile();
"""


@dataclass(frozen=True)
class Entry:
    """One thing that happened to a job or a profile."""

    at: float
    what: str


@dataclass(frozen=True)
class Journal:
    """What happened, by job and by artifact."""

    entries: dict[Any, list[Entry]]

    @classmethod
    def read(cls, connection: psycopg.Connection) -> "Journal":
        """Read it."""
        entries = defaultdict(list)
        for subject, at, what in connection.execute("SELECT subject, at, what FROM journal ORDER BY at").fetchall():
            entries[subject].append(Entry(at, what))
        return cls(entries)

    def times(self, subject: object, what: str) -> list[float]:
        """Return when something happened to one of them."""
        return [entry.at for entry in self.entries.get(subject, []) if entry.what == what]

    def first_after(self, at: float, what: str) -> float | None:
        """Return when something first happened to any of them after a moment."""
        later = [
            entry.at for all_of in self.entries.values() for entry in all_of if entry.what == what and entry.at > at
        ]
        return min(later, default=None)

    def taken_up_after(self, subject: object, at: float) -> float | None:
        """For a job that ran at a moment: when it was done, claimed or sent anew; the moment itself if it did not run.

        How long a job that was sent waits for those before it depends on the speed of the machine.
        """
        before = [entry for entry in self.entries.get(subject, []) if entry.at <= at and entry.what != "sent"]
        if not before or before[-1].what != "claimed":
            return at
        later = [
            entry.at for entry in self.entries[subject] if entry.at > at and entry.what in {"claimed", "done", "sent"}
        ]
        return min(later, default=None)
