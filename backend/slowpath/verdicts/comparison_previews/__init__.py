"""What can be compared, and what a comparison could conclude, before it is created."""
