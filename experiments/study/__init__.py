"""Tasks x modes x seeds, each a run of its own, and one table with intervals.

    python -m experiments.study --tasks=harvest_milk,harvest_wool --seeds=0,1,2 --jobs=2
    python -m experiments.study --out=studies/first        # goes on, then tables again
"""
