"""Episodes as MP4 and GIF, with a timeline of who acts."""
