"""Playing a task oneself: a window with keyboard and mouse, or a file of actions."""
