"""How much of the golden report's truth a candidate holds."""
