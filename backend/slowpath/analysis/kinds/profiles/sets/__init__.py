"""The two sets of profiles of a comparison: replicates, load, request mix, and the values by subject."""
