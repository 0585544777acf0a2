"""Measurements of the agents: configurations x variants x seeds, each a run of its own.

python -m experiments.study --configs=harvest_milk --variants=rl_gpt,pure_rl --jobs=2 --dry_run
python -m experiments.study held_out RUN                       # every iteration of a run
python -m experiments.study agents --out=studies/agents        # from transcripts alone
"""
