"""Real simulators beyond Minecraft: `making.make` makes a world of a row of `table.TASKS`."""
