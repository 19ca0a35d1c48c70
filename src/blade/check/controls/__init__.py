"""Reports made from a golden one to see whether a scorer can be fooled: false ones, worse ones, and fair ones."""
