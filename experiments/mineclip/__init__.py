"""MineCLIP: convert the published checkpoint, score pictures with it, measure its speed."""
