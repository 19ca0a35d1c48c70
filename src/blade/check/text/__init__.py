"""What a report says, read without any library: blocks, sentences, words, figures, names, directions."""
