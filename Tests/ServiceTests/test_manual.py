"""The manual pages, as a reader sees them."""

import pathlib
import re
import subprocess

import pytest

MANUAL = pathlib.Path(__file__).resolve().parents[2] / "docs/man"
PAGE = MANUAL / "pawl.1"
both = pytest.mark.parametrize("page", [PAGE, MANUAL / "pawld.1"], ids=lambda page: page.stem)


def shown(page):
    text = subprocess.run(["mandoc", "-T", "ascii", "-O", "width=80", page], check=True, capture_output=True, text=True).stdout
    return re.sub(r".\x08", "", text).splitlines()


@pytest.fixture(scope="module")
def lines():
    return shown(PAGE)


@both
def test_the_source_has_no_faults(page):
    found = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True)
    # References to pages that are not installed here are none of ours.
    assert [line for line in found.stdout.splitlines() if "lacks" not in line and "referenced manual not found" not in line] == []


def test_it_has_the_sections_that_readers_look_for(lines):
    sections = [line for line in lines if re.match(r"[A-Z]", line) and not line.startswith("PAWL(1)")]
    assert sections[:3] == ["NAME", "SYNOPSIS", "DESCRIPTION"]
    assert {"COMMANDS", "EXAMPLES", "EXIT STATUS", "FILES", "ENVIRONMENT"} <= set(sections)


@both
def test_its_lines_fit(page):
    assert [line for line in shown(page) if len(line) > 80 and " " in line.strip()] == []


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


def test_the_service_has_a_page_with_its_options():
    page = "\n".join(shown(MANUAL / "pawld.1"))
    assert re.findall(r"^[A-Z][A-Z ]+$", page, re.MULTILINE) == [
        "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "SIGNALS", "FILES", "EXIT STATUS", "SEE ALSO"]
    assert {"--config", "--port", "--listen", "--directory", "--root", "--socket"} <= set(re.findall(r"^ {5}(--[\w-]+)", page, re.MULTILINE))
    assert re.search(r"^ {5}--forget-secrets, --no-forget-secrets$", page, re.MULTILINE), "both forms of a flag stand together"
