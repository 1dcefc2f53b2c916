"""`python -m slowpath_worker` runs the worker."""

from slowpath_worker.app import main

main()
