"""Tools for macros: look at one, run it in the embedded world, keep good ones."""
