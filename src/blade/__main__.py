"""`python -m blade` is the `blade` command."""

from blade.cli import main

main()
