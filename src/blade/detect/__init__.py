"""What a rollout shows about itself: the language of errors, how a trajectory ended, and whose doing it was."""
