"""Stack-growth logs: counts of stack growth per run, and the attributed callers."""
