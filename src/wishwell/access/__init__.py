"""Who may do what, and how often: tokens, their cache, limits."""
