"""Benchmarks of the documented speed and accuracy. Run by `npm run bench`."""
