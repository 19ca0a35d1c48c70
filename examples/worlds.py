"""All simulated worlds, by name."""

from examples import office
from examples.theatre import Benchmark

WORLDS: dict[str, Benchmark] = {module.BENCHMARK.name: module.BENCHMARK for module in (office,)}
