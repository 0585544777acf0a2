"""The paper's experiments as commands: each runs what is missing and writes its tables."""
