"""What pip and uv call to build the source: cargo does the work."""

import os
import shutil
import subprocess
import sys
import sysconfig


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds the executables and packs them for this machine. Returns the name of the wheel."""
    tag = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return _xtask("wheel", "--tag", tag, "--out", wheel_directory)


def build_sdist(sdist_directory, config_settings=None):
    """Packs the source. Returns the name of the file."""
    return _xtask("sdist", "--out", sdist_directory)


def _xtask(*words):
    if shutil.which("cargo") is None:
        sys.exit("error: building from source needs Rust 1.90 or newer and a C compiler, and `cargo` is not on PATH")
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    command = ["cargo", "run", "--quiet", "--locked", "--package", "xtask", "--", *words]
    built = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, text=True)
    if built.returncode != 0:
        sys.exit(built.returncode)
    return built.stdout.strip().splitlines()[-1]
