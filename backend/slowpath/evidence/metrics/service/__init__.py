"""Services of metrics: ingest, compaction, reading, classification, detection, dashboard."""
