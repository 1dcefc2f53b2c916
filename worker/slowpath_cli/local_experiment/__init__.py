"""`slowpath experiment`: measure variants of one commit in blocks, and store every run."""
