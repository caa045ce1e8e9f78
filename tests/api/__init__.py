"""The API over HTTP, one file per noun or concern. conftest.py has the assertions that all share."""
