"""The room works where nothing is installed."""

import subprocess
import sys
from pathlib import Path

import blade.check

SOURCE = Path(blade.check.__file__).parents[2]
PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from importlib import import_module
from pathlib import Path
place = Path(sys.argv[1]) / "blade" / "check"
for path in sorted(place.rglob("*.py")):
    import_module(".".join(path.relative_to(sys.argv[1]).with_suffix("").parts).removesuffix(".__init__"))
from blade.check.anchors.drafting import draft
from blade.check.calibrate import calibrate
from blade.check.scoring.score import Fact
golden = Path(sys.argv[2]).read_text(encoding="utf-8")
facts = draft(golden).facts
print(len(facts), calibrate(golden, [Fact(each.id, each.fact) for each in facts]).golden)
foreign = {"msgspec", "numpy", "duckdb", "click", "markdown_it", "jinja2", "pyarrow"}
print(sorted(foreign & {name.partition(".")[0] for name in sys.modules}))
"""


def test_everything_is_imported_and_a_report_calibrated_with_the_standard_library_alone() -> None:
    golden = Path(__file__).parents[2] / "bench" / "scoring" / "parcels" / "golden.md"
    words = [sys.executable, "-S", "-I", "-W", "error", "-c", PROGRAM, str(SOURCE), str(golden)]
    said = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120).stdout.split("\n")
    count, value = said[0].split()
    assert int(count) >= 8
    assert float(value) >= 0.85
    assert said[1] == "[]"
