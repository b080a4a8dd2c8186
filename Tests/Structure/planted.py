"""A small module with one example of each finding, to show that the checks find them."""

from __future__ import annotations

import subprocess
from pathlib import Path

_FILES = {
    "Gateway/Reactor.swift": "actor Reactor { let upper = Upper() }\n",
    # Two folders that call each other; the use of `Lower.count` is seen although its type is inferred.
    "Gateway/Up/Upper.swift": "struct Upper {\n  func ask() -> Int { let lower = Lower(); return lower.count }\n}\n",
    "Gateway/Low/Lower.swift": "struct Lower {\n  var count: Int { 1 }\n  func answer() { _ = Upper() }\n}\n",
    # Calls of one folder that go one way.
    "Gateway/Base/Base.swift": "struct Base {}\n",
    "Gateway/Low/UsesBase.swift": "extension Base {\n  func twice() -> (Base, Base) { (self, self) }\n}\n",
    # Three folders that call each other in a circle.
    "Gateway/One/First.swift": "struct First { func next(_ second: Second) {} }\n",
    "Gateway/Two/Second.swift": "struct Second { func next(_ third: Third) {} }\n",
    "Gateway/Three/Third.swift": "struct Third { func next(_ first: First) {} }\n",
    # A component that knows the reactor.
    "Gateway/Loop/Component.swift": "extension Reactor { func run() {} }\n",
    # Computed properties and static ones are not stored; observed and lazy ones are.
    "Gateway/Loop/Large.swift": "struct Large {\n"
    + "".join(f"  var value{n} = {n}\n" for n in range(29))
    + "  var observed = 1 { didSet {} }\n  lazy var late = 1\n  var computed: Int { 1 }\n  static let shared = 1\n}\n",
    "Gateway/Loop/Full.swift": "struct Full {\n" + "".join(f"  var value{n} = {n}\n" for n in range(30)) + "}\n",
    "Gateway/Loop/Long.swift": "//\n" * 351,
}  # fmt: skip

FINDINGS = {
    "pair Low Up",
    "circle One Three Two",
    "reactor Loop/Component.swift",
    "properties Large",
    "lines Gateway/Loop/Long.swift",
}


def compile_module(folder: Path) -> tuple[Path, Path]:
    """Compiles the module, and returns the folders of its index and its sources."""
    sources, store = folder / "Sources", folder / "index"
    for name, text in _FILES.items():
        path = sources / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    command = ["swiftc", "-module-name", "Gateway", "-parse-as-library", "-Onone", "-c", "-index-store-path", str(store)]
    subprocess.run([*command, *(str(sources / name) for name in _FILES)], cwd=folder, check=True)
    return store, sources
