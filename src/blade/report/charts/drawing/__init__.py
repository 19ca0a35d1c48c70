"""What charts are drawn with: text that fits, scales, colours, shapes and the sheet they stand on. Pure functions."""
