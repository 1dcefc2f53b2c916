"""Services of artifacts: ingest, multipart uploads, lists, retries, deletion, storage accounting."""
