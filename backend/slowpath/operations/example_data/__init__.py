"""Example data of a team: a copy of the example investigation, added by a job and removed as a whole."""
