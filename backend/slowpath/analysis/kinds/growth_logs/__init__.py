"""Stack-growth logs: how often goroutine stacks grew, who paid for it, and what changed."""
