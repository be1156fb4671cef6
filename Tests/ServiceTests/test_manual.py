"""The manual page, as a reader sees it."""

import pathlib
import re
import subprocess

import pytest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/man/pawl.1"


@pytest.fixture(scope="module")
def lines():
    shown = subprocess.run(["mandoc", "-T", "ascii", "-O", "width=80", PAGE], check=True, capture_output=True, text=True).stdout
    return re.sub(r".\x08", "", shown).splitlines()


def test_the_source_has_no_faults():
    found = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", PAGE], capture_output=True, text=True)
    # References to pages that are not installed here are none of ours.
    assert [line for line in found.stdout.splitlines() if "lacks" not in line and "referenced manual not found" not in line] == []


def test_it_has_the_sections_that_readers_look_for(lines):
    sections = [line for line in lines if re.match(r"[A-Z]", line) and not line.startswith("PAWL(1)")]
    assert sections[:3] == ["NAME", "SYNOPSIS", "DESCRIPTION"]
    assert {"COMMANDS", "EXAMPLES", "EXIT STATUS", "FILES", "ENVIRONMENT"} <= set(sections)


def test_its_lines_fit(lines):
    assert [line for line in lines if len(line) > 80 and " " in line.strip()] == []


def test_each_option_begins_a_line_of_its_own(lines):
    options = {name for line in lines for name in re.findall(r"^ {5}(?:-\w, )?(--[\w-]+)", line)}
    source = PAGE.read_text(encoding="utf-8")
    declared = {"--" + name for name in re.findall(r"^\.It (?:Fl \w , )?Fl -([\w-]+)", source, re.MULTILINE)}
    assert len(declared) > 60
    assert options == declared


def test_each_exit_status_is_listed(lines):
    start = lines.index("EXIT STATUS")
    codes = re.findall(r"^ {5}(\d+) ", "\n".join(lines[start:lines.index("EXAMPLES")]), re.MULTILINE)
    assert codes == sorted(codes, key=int) and {"0", "3", "4", "64", "130"} <= set(codes)
