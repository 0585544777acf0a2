"""MineCLIP: convert the published checkpoint, score pictures with it."""
