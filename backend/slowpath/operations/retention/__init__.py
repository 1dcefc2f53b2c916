"""What a team keeps and for how long; what it uses; how it takes everything away."""
