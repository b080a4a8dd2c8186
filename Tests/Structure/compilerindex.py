"""Reads the index that the compiler writes in a debug build, by the toolchain's libIndexStore.

The index names each declaration by its USR (unified symbol resolution), which is the same in each file that uses the declaration.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

# Values of indexstore.h.
DEFINITION, REFERENCE, IMPLICIT = 1 << 1, 1 << 2, 1 << 8
CHILD_OF, ACCESSOR_OF = 1 << 9, 1 << 15
RECORD = 2
ENUM, STRUCT, CLASS = 5, 6, 7
INSTANCE_PROPERTY = 19
GETTER = 3


class Occurrence(NamedTuple):
    """A place in a file where a symbol is declared or used."""

    usr: str
    name: str
    kind: int
    subkind: int
    roles: int
    line: int
    related: list[tuple[int, str, str, int]]
    """The role of each relation, and the USR, name and kind of the related symbol."""


class _Text(ctypes.Structure):
    """A string of the library, without a zero at its end."""

    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    def __str__(self) -> str:
        return ctypes.string_at(self.data, self.length).decode() if self.length else ""


_POINTER = ctypes.c_void_p
_VISIT_NAME = ctypes.CFUNCTYPE(ctypes.c_bool, _POINTER, _Text)
_VISIT = ctypes.CFUNCTYPE(ctypes.c_bool, _POINTER, _POINTER)
_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "store_create": (_POINTER, [ctypes.c_char_p, _POINTER]),
    "store_units_apply_f": (ctypes.c_bool, [_POINTER, ctypes.c_uint, _POINTER, _VISIT_NAME]),
    "unit_reader_create": (_POINTER, [_POINTER, ctypes.c_char_p, _POINTER]),
    "unit_reader_dispose": (None, [_POINTER]),
    "unit_reader_get_main_file": (_Text, [_POINTER]),
    "unit_reader_get_modification_time": (None, [_POINTER, _POINTER, _POINTER]),
    "unit_reader_dependencies_apply_f": (ctypes.c_bool, [_POINTER, _POINTER, _VISIT]),
    "unit_dependency_get_kind": (ctypes.c_int, [_POINTER]),
    "unit_dependency_get_name": (_Text, [_POINTER]),
    "record_reader_create": (_POINTER, [_POINTER, ctypes.c_char_p, _POINTER]),
    "record_reader_dispose": (None, [_POINTER]),
    "record_reader_occurrences_apply_f": (ctypes.c_bool, [_POINTER, _POINTER, _VISIT]),
    "occurrence_get_symbol": (_POINTER, [_POINTER]),
    "occurrence_get_roles": (ctypes.c_uint64, [_POINTER]),
    "occurrence_get_line_col": (None, [_POINTER, _POINTER, _POINTER]),
    "occurrence_relations_apply_f": (ctypes.c_bool, [_POINTER, _POINTER, _VISIT]),
    "symbol_relation_get_roles": (ctypes.c_uint64, [_POINTER]),
    "symbol_relation_get_symbol": (_POINTER, [_POINTER]),
    "symbol_get_kind": (ctypes.c_int, [_POINTER]),
    "symbol_get_subkind": (ctypes.c_int, [_POINTER]),
    "symbol_get_name": (_Text, [_POINTER]),
    "symbol_get_usr": (_Text, [_POINTER]),
}


class CompilerIndex:
    """The index of a debug build: the occurrences of symbols in each source file below a folder."""

    def __init__(self, store: Path, sources: Path) -> None:
        self._functions = _functions()
        self._store = self._functions["store_create"](str(store).encode(), None)
        if not self._store:
            raise SystemExit(f"{store} holds no index: run `swift build` first.")
        self._units = self._newest_units(sources)

    def files(self) -> dict[Path, int]:
        """The indexed files that exist, and the time of each one's index in nanoseconds."""
        return {path: at for path, (at, _) in self._units.items()}

    def occurrences(self, path: Path) -> Iterator[Occurrence]:
        for record in self._units[path][1]:
            yield from self._read(record)

    def _newest_units(self, sources: Path) -> dict[Path, tuple[int, list[str]]]:
        names: list[str] = []
        self._functions["store_units_apply_f"](self._store, 0, None, _VISIT_NAME(lambda _, name: _append(names, str(name))))
        units: dict[Path, tuple[int, list[str]]] = {}
        call = self._functions
        for name in names:
            reader = call["unit_reader_create"](self._store, name.encode(), None)
            if not reader:
                continue
            path = Path(str(call["unit_reader_get_main_file"](reader)))
            seconds, nanoseconds = ctypes.c_int64(), ctypes.c_int64()
            call["unit_reader_get_modification_time"](reader, ctypes.byref(seconds), ctypes.byref(nanoseconds))
            at = seconds.value * 1_000_000_000 + nanoseconds.value
            # A file that was moved or removed leaves its index behind.
            if path.is_relative_to(sources) and path.exists() and (path not in units or units[path][0] < at):
                units[path] = (at, self._records(reader))
            call["unit_reader_dispose"](reader)
        return units

    def _records(self, reader: int) -> list[str]:
        call = self._functions
        found: list[str] = []

        def visit(_: int, dependency: int) -> bool:
            if call["unit_dependency_get_kind"](dependency) == RECORD:
                found.append(str(call["unit_dependency_get_name"](dependency)))
            return True

        call["unit_reader_dependencies_apply_f"](reader, None, _VISIT(visit))
        return found

    def _read(self, record: str) -> list[Occurrence]:
        call = self._functions
        found: list[Occurrence] = []
        line, column = ctypes.c_uint(), ctypes.c_uint()
        related: list[tuple[int, str, str, int]] = []

        def relate(_: int, relation: int) -> bool:
            symbol = call["symbol_relation_get_symbol"](relation)
            role = call["symbol_relation_get_roles"](relation)
            return _append(related, (role, *self._symbol(symbol), call["symbol_get_kind"](symbol)))

        relate_callback = _VISIT(relate)

        def visit(_: int, occurrence: int) -> bool:
            symbol = call["occurrence_get_symbol"](occurrence)
            call["occurrence_get_line_col"](occurrence, ctypes.byref(line), ctypes.byref(column))
            related.clear()
            roles = call["occurrence_get_roles"](occurrence)
            if roles & DEFINITION:
                call["occurrence_relations_apply_f"](occurrence, None, relate_callback)
            kind, subkind = call["symbol_get_kind"](symbol), call["symbol_get_subkind"](symbol)
            return _append(found, Occurrence(*self._symbol(symbol), kind, subkind, roles, line.value, list(related)))

        reader = call["record_reader_create"](self._store, record.encode(), None)
        call["record_reader_occurrences_apply_f"](reader, None, _VISIT(visit))
        call["record_reader_dispose"](reader)
        return found

    def _symbol(self, symbol: int) -> tuple[str, str]:
        return str(self._functions["symbol_get_usr"](symbol)), str(self._functions["symbol_get_name"](symbol))


def _append(values: list[Any], value: Any) -> bool:
    values.append(value)
    return True


def _functions() -> dict[str, Callable[..., Any]]:
    asked = subprocess.run(["swiftc", "-print-target-info"], check=True, capture_output=True, text=True)
    resources = Path(json.loads(asked.stdout)["paths"]["runtimeResourcePath"])
    library = ctypes.CDLL(str(resources.parent / "libIndexStore.so"))
    functions = {}
    for name, (result, parameters) in _SIGNATURES.items():
        function = getattr(library, f"indexstore_{name}")
        function.restype, function.argtypes = result, parameters
        functions[name] = function
    return functions
