"""The documentation: pages, and the program that writes the parts of them that are made from the code."""
