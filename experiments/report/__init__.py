"""`report.html` of a run folder: one self-contained page.

python -m experiments.report RUN_FOLDER
"""
