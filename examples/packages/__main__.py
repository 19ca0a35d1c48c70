"""Write the shipped packages anew: `python -m examples.packages [DIR]`, by default into `benchmarks`."""

import argparse
import shutil
from pathlib import Path

from examples.packages.writing import PACKAGES, write_package


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m examples.packages", description=main.__module__)
    parser.add_argument("directory", nargs="?", type=Path, default=Path("benchmarks"), metavar="DIR")
    parser.add_argument("--only", choices=sorted(PACKAGES), help="write this one alone")
    options = parser.parse_args()
    for name in [options.only] if options.only else PACKAGES:
        shutil.rmtree(options.directory / name, ignore_errors=True)
        made = write_package(PACKAGES[name], options.directory)
        print(f"{made.root}: golden reports of {', '.join(made.models)}")


if __name__ == "__main__":
    main()
