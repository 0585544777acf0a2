"""Many runs of one configuration: any field over many values, side by side.

python -m experiments.sweep --config=harvest_milk --sweep=seed=0..4 \\
    --sweep=loop.mode=rl_gpt,pure_rl --jobs=2
python -m experiments.sweep ... --zip         # the first values together, then the second, ...
python -m experiments.sweep ... --dry_run     # what would run, and how long
python -m experiments.sweep ... --launcher=ray|slurm
"""
