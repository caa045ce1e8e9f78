"""Code generators and table helpers for this repository."""
