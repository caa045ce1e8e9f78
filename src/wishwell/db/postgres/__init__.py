"""The engine for a PostgreSQL server or a Citus cluster."""
