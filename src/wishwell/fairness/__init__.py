"""Fair queueing among stores and their parties, for everything that is limited."""
