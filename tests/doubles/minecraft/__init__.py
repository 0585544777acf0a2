"""A stand-in for Minecraft with MineDojo's mod, for tests without Java.

It speaks the mod's protocol on a port and serves the embedded world: pictures, facts,
commands. It proves what the client and what is built on it do, not what Minecraft does.
"""
