"""First-person frames of many lanes: one renderer for training and for people."""
