"""Services of comparisons: create, record results, read views, export."""
