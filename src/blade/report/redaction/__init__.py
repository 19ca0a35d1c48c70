"""What is private in a text, and where it stands: one module for each family of rules, found by being here."""
