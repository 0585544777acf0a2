"""Runs of any kind side by side: success, curves, settings, plans and code."""
