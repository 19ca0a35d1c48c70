"""What is checked of a package, one module for each part of it; found by being here."""
