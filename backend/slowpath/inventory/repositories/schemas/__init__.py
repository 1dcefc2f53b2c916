"""Request and response bodies of repositories and commits."""
