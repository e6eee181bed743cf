"""Write what a wheel's compiled core is made of, as CycloneDX: python packaging/sbom.py VERSION FILE

The build calls it (CMakeLists.txt) and puts the file into .dist-info/sboms (PEP 770). The same build gives the same
bytes: no date, no machine, and a serial number that is made of the content.
"""

from __future__ import annotations

import json
import re
import sys
import uuid
from pathlib import Path
from typing import Any

import nanobind


def robin_map_version() -> str:
    """Give the version of the headers that nanobind brings along."""
    folder = Path(nanobind.__file__).parent / "ext" / "robin_map" / "include" / "tsl"
    text = (folder / "robin_growth_policy.h").read_text(encoding="utf-8")
    parts = [re.search(rf"define TSL_RH_VERSION_{part} (\d+)", text) for part in ("MAJOR", "MINOR", "PATCH")]
    return ".".join(part[1] for part in parts if part is not None)


def component(name: str, version: str, licence: str, purl: str, url: str) -> dict[str, Any]:
    """Describe one part."""
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "licenses": [{"license": {"id": licence}}],
        "purl": purl,
        "externalReferences": [{"type": "website", "url": url}],
    }


def bill(version: str) -> dict[str, Any]:
    """Give all parts of the core of this version."""
    own = {
        "type": "library",
        "bom-ref": f"pkg:pypi/microagg@{version}",
        "name": "microagg",
        "version": version,
        "licenses": [{"license": {"id": "MIT"}}],
        "purl": f"pkg:pypi/microagg@{version}",
    }
    robin = robin_map_version()
    parts = [
        component(
            "nanobind",
            nanobind.__version__,
            "BSD-3-Clause",
            f"pkg:pypi/nanobind@{nanobind.__version__}",
            "https://github.com/wjakob/nanobind",
        ),
        component(
            "robin_map", robin, "MIT", f"pkg:github/Tessil/robin-map@v{robin}", "https://github.com/Tessil/robin-map"
        ),
    ]
    refs = [part["bom-ref"] for part in parts]
    content: dict[str, Any] = {
        "metadata": {"component": own},
        "components": parts,
        "dependencies": [
            {"ref": own["bom-ref"], "dependsOn": refs[:1]},
            {"ref": refs[0], "dependsOn": refs[1:]},
            {"ref": refs[1], "dependsOn": []},
        ],
    }
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(content, sort_keys=True))
    head = {"bomFormat": "CycloneDX", "specVersion": "1.6", "serialNumber": f"urn:uuid:{serial}", "version": 1}
    return {**head, **content}


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(json.dumps(bill(sys.argv[1]), indent=2) + "\n", encoding="utf-8")
