"""Jobs as people see them: state, progress, cancel, retry, and the stream of what happens."""
