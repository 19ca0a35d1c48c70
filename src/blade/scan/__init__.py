"""Rows become facts: cut into pieces, mapped by local processes, stored as columns, queried as tables."""
