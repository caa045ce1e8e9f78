"""A store as a whole: export, import, deletion; and what comes from another app."""
