"""`report.html` of a run folder: one page of at most 6 MB; large videos are files beside it."""
