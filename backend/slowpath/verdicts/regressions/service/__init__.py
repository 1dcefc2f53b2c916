"""Services of build evaluation and regressions."""
