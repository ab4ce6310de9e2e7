from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent.parent

SCRIPT = r"""
import importlib.metadata, pathlib, re, turnpike
metadata = importlib.metadata.metadata("turnpike-client")
assert metadata["Version"] == turnpike.__version__, metadata
assert pathlib.Path(turnpike.__file__).is_relative_to(__import__("sys").prefix), turnpike.__file__
assert pathlib.Path(turnpike.__file__).with_name("py.typed").exists()
print(sorted(re.match(r"[\w-]+", line)[0] for line in metadata.get_all("Requires-Dist")))
"""


def run(*command: str | Path) -> str:
    return subprocess.run(command, cwd=HERE, check=True, capture_output=True, text=True).stdout.strip()


def test_the_wheel_works_in_an_environment_that_has_nothing_but_its_dependencies() -> None:
    with TemporaryDirectory() as scratch:
        built, empty = Path(scratch, "dist"), Path(scratch, "venv")
        run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", built)
        (wheel,) = built.iterdir()
        venv.create(empty, symlinks=True)
        python = empty / "bin/python"
        (packages,) = empty.glob("lib/python3*/site-packages")
        # No test needs the internet: dependencies come from here, without this tree's own source.
        (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
        pip = (sys.executable, "-m", "pip", "--python", python)
        run(*pip, "install", "--quiet", "--no-index", "--no-deps", wheel)
        assert run(python, "-I", "-c", SCRIPT) == "['anyio', 'httpx', 'httpx-sse', 'typing-extensions']"
