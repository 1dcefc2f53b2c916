"""Names in addresses."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowpath.inventory.catalog.rules import make_slug
from slowpath.inventory.catalog.rules.slugs import MAX_SLUG


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Ingester", "ingester"),
        ("  Time  Series / DB ", "time-series-db"),
        ("Übergröße", "ubergroe"),
        ("--a--", "a"),
        ("日本", ""),
        ("\u202e", ""),
        ("a" * 59 + " b", "a" * 59),
        ("../../etc", "etc"),
    ],
)
def test_a_slug_is_letters_digits_and_single_hyphens(name: str, slug: str) -> None:
    assert make_slug(name) == slug


@given(st.text(alphabet=st.characters(codec=None), max_size=200))
def test_any_name_gives_a_slug_that_is_its_own_slug(name: str) -> None:
    slug = make_slug(name)

    assert re.fullmatch(r"([a-z0-9]+(-[a-z0-9]+)*)?", slug)
    assert len(slug) <= MAX_SLUG
    assert make_slug(slug) == slug
