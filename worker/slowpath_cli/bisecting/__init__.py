"""The parts of `slowpath bisect`: repositories, what hides in a commit, running the script, driving and telling."""
