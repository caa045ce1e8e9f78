"""Runs the fuzzing corpus (`tests/fuzz/corpus`) through its targets without the fuzzer."""

from pathlib import Path

import pytest

from tests.fuzz import seeds, targets

CORPUS = Path(targets.__file__).parent / "corpus"


@pytest.mark.parametrize("name", targets.TARGETS)
def test_saved_fuzzer_inputs_are_refused_or_parsed_correctly(name):
    """Each saved input and each seed is refused or parsed correctly."""
    kept = sorted((CORPUS / name).iterdir())
    assert kept, "the corpus is in the repository"
    for data in (*seeds.SEEDS[name], *(path.read_bytes() for path in kept)):
        targets.TARGETS[name](data)
