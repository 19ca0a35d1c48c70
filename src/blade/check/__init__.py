"""Is a report true? Claims held against the data, anchor facts, scores that words alone cannot earn, controls."""
