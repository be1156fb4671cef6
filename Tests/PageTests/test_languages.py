"""Each language has every text, and every text is used."""

import json
import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parents[2] / "Sources/PawlServer/Page"
ENGLISH = json.loads((PAGE / "lang/en.json").read_text())
OTHERS = {file.stem: json.loads(file.read_text()) for file in (PAGE / "lang").glob("*.json") if file.stem != "en"}


def test_every_language_has_every_text_with_the_same_values():
    for words in OTHERS.values():
        for key, text in ENGLISH.items():
            if key.endswith(".one") and key not in words:
                key = key[:-4] + ".other" if key[:-4] + ".other" in ENGLISH else key
            assert key in words
            assert set(re.findall(r"\{\w+\}", words[key])) <= set(re.findall(r"\{\w+\}", ENGLISH[key])) | {"{count}", "{number}"}, key


def test_every_text_that_is_asked_for_exists():
    source = "".join(file.read_text() for file in [*PAGE.rglob("*.js"), *PAGE.rglob("*.html")])
    asked = set(re.findall(r'\bt\("([\w.-]+)"', source)) | set(re.findall(r'data-t(?:-\w+)?="([\w.-]+)"', source))
    assert not [key for key in asked if key not in ENGLISH and f"{key}.other" not in ENGLISH]
