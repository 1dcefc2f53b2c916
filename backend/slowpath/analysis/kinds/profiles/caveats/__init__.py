"""What may mislead in a comparison of profiles."""
