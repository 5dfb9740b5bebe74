"""The registry of tables, figures and checks: what schema, targets, commands and page read."""

import re
from collections import Counter
from pathlib import Path

import pytest
import yaml

from sentflow.errors import ConfigError
from sentflow.graph import paths, products
from sentflow.graph.products import known_products, known_sections
from sentflow.report.figure.recipe import Recipe

PACKAGE = Path(products.__file__).parents[1]
WORKFLOW = Path(__file__).parents[2] / "workflow"
KINDS = (products.TABLE, products.FIGURE, products.CHECK)


@pytest.mark.parametrize("product", known_products(), ids=lambda product: f"{product.kind}-{product.name}")
def test_every_product_is_made_by_what_its_row_names(product):
    made = product.load()
    assert isinstance(made, Recipe) if product.kind == products.FIGURE else callable(made)


def test_names_are_those_of_one_product_of_a_kind():
    counts = Counter((product.kind, product.name) for product in known_products())
    assert [name for name, count in counts.items() if count > 1] == []


def test_products_read_files_of_the_results():
    known = {value for name, value in vars(paths).items() if name.isupper() and isinstance(value, str)}
    assert {pattern for product in known_products() for pattern in (*product.reads, *product.also)} <= known


def test_checks_read_tables_that_there_are():
    read = {table for product in known_products() for table in product.tables}
    assert read <= set(products.names(products.TABLE))


def test_the_schema_knows_the_names_of_the_registry_and_no_other():
    schema = yaml.safe_load((WORKFLOW / "schemas/config.schema.yaml").read_text(encoding="utf-8"))
    sections = schema["properties"]["report"]["properties"]
    assert [kind for kind in KINDS if "enum" in sections[f"{kind}s"]["items"]] == []
    products.fill_in_names(schema)
    assert {kind: sections[f"{kind}s"]["items"]["enum"] for kind in KINDS} == {
        kind: products.names(kind) for kind in KINDS
    }


def test_an_unknown_name_is_told_with_the_known_ones():
    with pytest.raises(
        ConfigError, match=r"report\.checks: there is no check 'bold'\. Write one of: complete"
    ):
        products.find(products.CHECK, "bold")


def test_templates_of_the_page_are_there_and_all_count():
    named = set(products.files_of_page())
    there = {str(path.relative_to(PACKAGE)) for path in PACKAGE.glob("report/**/page/*.j2")}
    assert {name for name in named if name.endswith(".j2")} == there


def test_what_families_have_in_common_names_no_family():
    shared = [*PACKAGE.glob("report/page/*.py"), *PACKAGE.glob("report/page/*.j2")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in shared)
    assert re.findall(r"similarity|geometry", text) == []
    assert len(known_sections()) == len({section.module for section in known_sections()})
