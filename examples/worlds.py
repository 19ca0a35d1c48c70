"""All simulated worlds, by name."""

from examples import office, quiz, repair
from examples.theatre import Benchmark

WORLDS: dict[str, Benchmark] = {module.BENCHMARK.name: module.BENCHMARK for module in (office, repair, quiz)}
