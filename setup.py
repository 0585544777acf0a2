"""Puts copies of prompts and tables, which are no packages, into wheels (`rlgpt_jax/files.py`)."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

FOLDERS = ("prompts", "third_party")


class BuildWithData(build_py):
    """Copies the folders, but for an editable installation, which reads those of the checkout."""

    def run(self):
        super().run()
        if not self.editable_mode:
            for name in FOLDERS:
                to = Path(self.build_lib, "rlgpt_jax", "shipped", name)
                shutil.copytree(name, to, dirs_exist_ok=True)


setup(cmdclass={"build_py": BuildWithData})
