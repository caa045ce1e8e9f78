"""The embedded engine: a file, its one writer, groups of commits, backups."""
