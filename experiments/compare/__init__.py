"""Runs of any kind side by side: success, curves, settings, plans and code.

python -m experiments.compare RUN RUN ... [--out=compare]
"""
