"""Runs in a folder, served to this machine's browser: a list, comparisons, live progress.

    python -m experiments.view FOLDER [--port=8765]

It only reads, and only answers on 127.0.0.1. Needs the extra `view`.
"""
