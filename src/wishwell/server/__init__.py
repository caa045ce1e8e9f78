"""What runs: the application, its background work, the server, the terminal."""
