"""A stand-in for Minecraft with MineDojo's mod: our voxel world behind MineDojo's protocol."""
