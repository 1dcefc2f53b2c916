"""What users share: reports, notifications and discussions."""
