"""What the embedded world looks like: textures, models, light, and what lies over a picture."""
