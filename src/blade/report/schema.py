"""The JSON Schema of `analysis.json`, made from the types that write it."""

from typing import Any, Final

import msgspec

from blade.report.document import AnalysisFile

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def analysis_schema() -> dict[str, Any]:
    """The schema that every written `analysis.json` fulfils; keys that it does not name may stand beside them."""
    found = msgspec.json.schema(AnalysisFile)
    return {"$schema": DIALECT, "title": "blade.analysis/1", "description": "What a BLADE report says.", **found}


SCHEMAS: Final = {"analysis": analysis_schema}
"""What `blade schema` prints, by name."""
