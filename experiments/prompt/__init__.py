"""Prints what an agent is asked: show."""
