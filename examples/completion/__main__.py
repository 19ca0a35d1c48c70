"""Write simulated runs from the command line: `python -m examples.completion OUT`."""

from examples.completion import BENCHMARK
from examples.theatre.command import run

if __name__ == "__main__":
    run(BENCHMARK)
