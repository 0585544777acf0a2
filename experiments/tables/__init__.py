"""The paper's experiments as commands: each runs what is missing and writes its tables.

python -m experiments.tables main --seeds=0,1,2 --jobs=2 --keep
python -m experiments.tables main --dry-run       # what is there, what is missing, how long
python -m experiments.tables main --only-kept     # from experiments/results, with no run
python -m experiments.tables all --quick          # a smoke run of every table
python -m experiments.tables keep RUN [RUN ...]   # what finished runs say, for the tables
"""
