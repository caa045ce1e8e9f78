"""Importers: files of other apps and of shops, one reader for each format."""
