"""Write simulated runs from the command line: `python -m examples.quiz OUT`."""

from examples.quiz import BENCHMARK
from examples.theatre.command import run

if __name__ == "__main__":
    run(BENCHMARK)
