"""The subcommands of `slowpath`, one module each, and what only they use."""
