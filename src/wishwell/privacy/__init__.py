"""Privacy: erasing profiles and stores, and exporting a person's data."""
