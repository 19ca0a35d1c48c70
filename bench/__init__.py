"""Speed and accuracy, measured beside peers. `make bench` runs everything in here."""
