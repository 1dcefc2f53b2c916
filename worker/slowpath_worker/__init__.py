"""The worker: runs jobs. It imports the backend; the backend does not import it."""
