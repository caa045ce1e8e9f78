"""Whole deployments of the program: several processes, faults, backups, upgrades, operations."""
