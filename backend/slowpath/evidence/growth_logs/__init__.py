"""Stack-growth logs: how often stacks grew in each run, and who paid."""
