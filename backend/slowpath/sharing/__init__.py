"""What people send each other: reports, notifications and discussions."""
