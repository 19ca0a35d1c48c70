"""What is on disk: runs are discovered with their sidecars, files cut into pieces, rows decoded."""
