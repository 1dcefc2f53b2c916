"""Request and response bodies of comparisons, their sides, views and exports."""
