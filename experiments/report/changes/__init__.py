"""What changes from iteration to iteration."""
