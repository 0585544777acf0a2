"""Parts of an iteration in a report: plan, set-up, code, use, failures, critique."""
