"""Pictures of the embedded world: textures, models, light and the kernel that traces them."""
