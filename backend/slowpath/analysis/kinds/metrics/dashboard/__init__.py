"""The column file of a dashboard."""
