"""What makes files of this repository from others of it."""
