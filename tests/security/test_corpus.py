"""What fuzzing has kept (`fuzz/corpus`), once more: the same targets without the fuzzer."""

from pathlib import Path

import pytest

from fuzz import seeds, targets

CORPUS = Path(targets.__file__).parent / "corpus"


@pytest.mark.parametrize("name", targets.TARGETS)
def test_corpus_of_the_fuzzer_still_holds(name):
    """Each input that reached something new, and the seeds: refused, or read as it is meant."""
    kept = sorted((CORPUS / name).iterdir())
    assert kept, "the corpus is in the repository"
    for data in (*seeds.SEEDS[name], *(path.read_bytes() for path in kept)):
        targets.TARGETS[name](data)
