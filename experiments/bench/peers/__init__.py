"""Other environments, run beside ours in one process. None of their code is kept here."""
