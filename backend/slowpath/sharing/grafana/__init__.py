"""Data for dashboards in Grafana."""
