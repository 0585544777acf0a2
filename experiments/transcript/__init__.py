"""Reads what a run and its models said to each other: show, diff, cost."""
