"""The asyncio client. The build generates the blocking client, ``_sync``, from it."""
