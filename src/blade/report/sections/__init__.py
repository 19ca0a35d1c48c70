"""The sections of a report, one module each: `write` turns findings into pieces. Their order stands in `contents`."""
