"""Benchmarks: every claim of speed and accuracy, measured. Run by `npm run bench`."""
