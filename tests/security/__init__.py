"""Hostile input, request smuggling, secrets, key rotation and licences."""
