"""What is concluded from evidence: comparisons, regressions, bisects and gap explanations."""
