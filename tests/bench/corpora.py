"""Corpora for the labelled queries, made at run time: installed packages, the standard library, seeded generators.

Each function takes an empty folder, writes files into it and gives `{label: path}`. No text of others is kept here.
"""

from __future__ import annotations

import email
import importlib.metadata
import pydoc
import sysconfig
from collections.abc import Callable
from pathlib import Path

from ruamel.yaml import YAML
from tests.bench import corpus_data, corpus_logs, corpus_outputs, corpus_product

Files = dict[str, Path]

MADE_OF = YAML(typ="safe").load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))


def docs(folder: Path) -> Files:
    """READMEs of installed packages, and what pydoc says about modules of the standard library."""
    texts = {f"{name}.{ending}": _readme(name) for ending, names in MADE_OF["readmes"].items() for name in names}
    texts |= {f"pydoc/{name}.txt": pydoc.plain(pydoc.render_doc(name)) for name in MADE_OF["modules"].split()}
    return _written(folder, texts)


def source(folder: Path) -> Files:
    """Source code of the standard library."""
    root = Path(sysconfig.get_path("stdlib"))
    there = [name for name in MADE_OF["sources"].split() if (root / name).is_file()]
    return _written(folder, {f"lib/{name}": (root / name).read_text("utf-8") for name in there})


def logs(folder: Path) -> Files:
    """Container, application and access logs of about 300 KB each."""
    return _written(folder, corpus_logs.texts())


def data(folder: Path) -> Files:
    """JSON: an API's reply, a lock file, an OpenAPI document, a plan."""
    return _written(folder, corpus_data.texts())


def outputs(folder: Path) -> Files:
    """What command-line tools print."""
    return _written(folder, corpus_outputs.texts())


def product(folder: Path) -> Files:
    """The manual of a product that does not exist, in English with pages in five other languages."""
    return _written(folder, corpus_product.texts())


CORPORA: dict[str, Callable[[Path], Files]] = {
    "docs": docs, "source": source, "logs": logs, "data": data, "outputs": outputs, "product": product,
}  # fmt: skip


def make(folder: Path) -> dict[str, Files]:
    """All of them, each in a folder of its own."""
    return {name: maker(folder / name) for name, maker in CORPORA.items()}


def _readme(name: str) -> str:
    metadata = importlib.metadata.distribution(name).read_text("METADATA") or ""
    return str(email.message_from_string(metadata).get_payload())


def _written(folder: Path, texts: dict[str, str]) -> Files:
    files = {}
    for label, text in texts.items():
        files[label] = folder / label
        files[label].parent.mkdir(parents=True, exist_ok=True)
        files[label].write_text(text, encoding="utf-8")
    return files
