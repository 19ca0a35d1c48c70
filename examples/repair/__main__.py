"""Write simulated runs from the command line: `python -m examples.repair OUT`."""

from examples.repair import BENCHMARK
from examples.theatre.command import run

if __name__ == "__main__":
    run(BENCHMARK)
