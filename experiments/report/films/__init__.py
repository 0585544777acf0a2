"""What is seen in a report: videos, who acts when, pictures."""
