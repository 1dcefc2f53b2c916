"""Parts of `slowpath bisect`: repositories, running the script, driving the search, and the report."""
