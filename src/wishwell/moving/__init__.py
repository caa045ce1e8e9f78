"""A store as a whole: export, import, deletion."""
