"""Many runs of one configuration: any field over many values, side by side."""
