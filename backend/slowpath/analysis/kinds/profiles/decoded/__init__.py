"""One decoded profile: header, functions, trees, samples and labels, and what is known of its recording."""
