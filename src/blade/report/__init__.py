"""Findings become what people open: a report in Markdown and HTML, with pictures, redacted, and the same as data."""
