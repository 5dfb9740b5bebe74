"""Settings as pydantic models: their common types, and what is wrong with a value, in sentences.

The Snakefile reads this in every job: standard library, PyYAML and pydantic only.
"""

import ast
import inspect
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import pairwise
from textwrap import dedent
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Self, TypeVar, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    TypeAdapter,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from sentflow.config.removed import ELSEWHERE, KEYS
from sentflow.errors import ConfigError, instead

_Item = TypeVar("_Item")
_Model = TypeVar("_Model", bound=BaseModel)
Path = tuple[str | int, ...]
"""Keys, and places in lists."""


class Wrong(ValueError):
    """What fields cannot say of themselves, see `Settings.wrong`."""

    def __init__(self, *found: tuple[str | Path, str]) -> None:
        super().__init__(" ".join(text for _, text in found))
        self.found = found


class Settings(BaseModel):
    """A part of the configuration or of the catalog: fields, each with a text below, and perhaps `wrong`."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    @classmethod
    def from_parts(cls, *parts: "Settings | Mapping[str, Any]", **more: Any) -> Self:
        """With what the first of some parts of the configuration, or entries, says of each field, or `more` does."""
        values = {key: value for part in reversed(parts) for key, value in _said(part).items()} | more
        return cls.model_validate({key: value for key, value in values.items() if key in fields_of(cls)})

    def wrong(self) -> Iterator[tuple[str | Path, str]]:
        """What is wrong where every field is right: a key, perhaps empty or with what is inside, and a sentence."""
        yield from ()

    def as_dict(self) -> dict[str, Any]:
        """Every field as JSON has it; without those that are null, and would be if they were left out."""
        return {key: _as_plain(value) for key, value in _said(self).items()}

    def as_json(self) -> str:
        return json.dumps(self.as_dict(), sort_keys=True, ensure_ascii=False)

    @model_validator(mode="after")
    def _is_right(self) -> "Settings":
        if found := list(self.wrong()):
            raise Wrong(*found)
        return self


class Ordered(Settings):
    """Settings of a job with maps whose order is that of tables and lists."""

    def as_json(self) -> str:
        """The text by which a job receives it, with keys in their order."""
        return json.dumps(self.as_dict(), ensure_ascii=False)


def _said(part: Settings | Mapping[str, Any]) -> Mapping[str, Any]:
    """Key → value; without those that are null, and would be if they were left out."""
    if not isinstance(part, Settings):
        return part
    return {
        field.alias or name: value
        for name, field in type(part).model_fields.items()
        if (value := getattr(part, name)) is not None or field.default is not None
    }


def _as_plain(value: Any) -> Any:
    if isinstance(value, Settings):
        return value.as_dict()
    if isinstance(value, Mapping):
        return {key: _as_plain(one) for key, one in value.items()}
    return [_as_plain(one) for one in value] if isinstance(value, list | tuple) else value


def keys_of_others(
    model: Settings, kind: str, keys: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[str, str]]:
    """Keys of an entry that its kind does not have, each as `Settings.wrong` tells it.

    `kind`: name of the field that says the kind. `keys`: kind → the keys that it has, beside that field.
    """
    value = getattr(model, kind)
    for key in sorted(model.model_fields_set - {kind, *keys[value]}):
        if getattr(model, key) == type(model).model_fields[key].default:
            continue  # says nothing, and a job receives it with all others
        yield key, f"{kind}: {value} has no such key. Write one of: {', '.join(sorted(keys[value]))}."


# --- types ----------------------------------------------------------------------------------------------------


def _not_null(value: Any) -> Any:
    if value is None:
        raise ValueError("it is empty. Write a value, or leave the key out.")
    return value


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _as_written(value: Any, check: ValidatorFunctionWrapHandler) -> Any:
    """A number as it was written: 1 does not become 1.0 in the settings of jobs."""
    check(value)
    return value


def _each_once(values: tuple[Any, ...]) -> tuple[Any, ...]:
    kinds = [(isinstance(value, bool), value) for value in values]
    twice = next((value for kind, value in kinds if kinds.count((kind, value)) > 1), None)
    if twice is not None:
        raise ValueError(f"it has {twice!r} twice. Write each once.")
    return values


Maybe = Annotated[_Item | None, BeforeValidator(_not_null)]
"""What may be left out, but not be null."""
Number = Annotated[float, WrapValidator(_as_written), PlainSerializer(lambda value: value)]
Int = Annotated[int, BeforeValidator(_whole)]
Count = Annotated[Int, Field(ge=1)]
Several = Annotated[tuple[_Item, ...], Field(strict=False)]
Distinct = Annotated[tuple[_Item, ...], Field(strict=False), AfterValidator(_each_once)]
Pair = Annotated[tuple[_Item, _Item], Field(strict=False)]

Text = Annotated[str, Field(min_length=1)]
Names = Distinct[Text]
Name = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9-]*\z",
        description="Letters, digits and hyphens: it is part of paths.",
    ),
]
LowerName = Annotated[
    str,
    Field(
        pattern=r"^[a-z0-9][a-z0-9-]*\z",
        description="Lower-case letters, digits and hyphens: it is part of paths.",
    ),
]
FileName = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]*\z",
        description="Letters, digits, full stops, hyphens and underscores: it is the name of a file.",
    ),
]
PUBLISHED_SEED = 9847706
Seed = Annotated[Int, Field(ge=0, le=4294967295)]
Repetitions = Annotated[Int, Field(ge=1, le=100)]
Folds = Annotated[Int, Field(ge=2, le=100)]
Sha256 = Annotated[
    str, Field(pattern=r"^[0-9a-f]{64}\z", description="SHA-256, 64 hexadecimal digits in lower case.")
]
OwnEntries = Annotated[
    dict[str, Any], Field(description="Entries by name, merged over those of the catalog.")
]
Like = Annotated[
    Text,
    Field(
        description="Name of another entry whose keys are taken; keys written here are merged over them, key by key in "
        "reader."
    ),
]
Title = Annotated[Text, Field(description="Name for tables and captions.")]
DataVersion = Annotated[
    Text, Field(description="What the texts are, e.g. raw; shown in every table and figure made from them.")
]
Language = Annotated[
    str, Field(pattern=r"^[a-z]{2}\z", description="Language of the texts as ISO 639-1 code.")
]
LanguageIfKnown = Annotated[
    str,
    Field(
        pattern=r"^(?:[a-z]{2}|und)\z",
        description="Language of the texts as ISO 639-1 code, und where it is not told or there are several.",
    ),
]
_CODES = """
arabic ar chinese zh danish da dutch nl english en finnish fi french fr german de greek el hebrew he hindi hi
indonesian id italian it japanese ja korean ko norwegian no persian fa polish pl portuguese pt português pt russian ru
spanish es
swedish sv thai th turkish tr ukrainian uk vietnamese vi
"""
Homepage = Annotated[Text, Field(description="Page about the data.")]
Note = Annotated[Text, Field(description="Note for readers of the results.")]
Encoding = Annotated[Text, Field(description="Encoding of the file.")]
Measure = Literal["cosine", "euclidean", "manhattan", "dot"]
Correlation = Literal["spearman", "pearson"]
PartOfData = Annotated[
    Literal["train", "dev", "test", "all"],
    Field(description="Which part of the data the set is. all means all parts together."),
]


# --- mistakes -------------------------------------------------------------------------------------------------

_KINDS: Mapping[str, tuple[type, str]] = {
    "model_type": (dict, "a map"),
    "dict_type": (dict, "a map"),
    "tuple_type": (list, "a list"),
    "string_type": (str, "text"),
    "int_type": (int, "a whole number"),
    "float_type": (float, "a number"),
    "bool_type": (bool, "true or false"),
}
"""Error of pydantic → what YAML would read instead, also in words."""
_LONGEST_NUMBER = 200
_EXPONENT = re.compile(r"([-+]?[0-9]+)(\.[0-9]*)?[eE]([-+]?)([0-9]+)")


@dataclass(frozen=True)
class Mistake:
    """What is wrong with a value."""

    place: Path  # the keys and numbers that lead to what is named
    text: str  # what is wrong, and what to write instead
    faulty: Path  # where something must change: `place`, or the key that is missing there

    def __str__(self) -> str:
        return f"{'.'.join(map(str, self.place))}: {self.text}"


def mistakes(kind: Any, value: Any, *, where: str, partial: bool = False) -> list[Mistake]:
    """Everything that is wrong with a value, in the order of places; none where it is right.

    `kind`: a model, or any type that a field may have. `where`: name of the value. `partial`: whether keys may be
    missing.
    """
    try:
        _adapter(kind).validate_python(value)
    except ValidationError as error:
        found = [
            Mistake((where, *one.place), one.text, (where, *one.faulty))
            for details in error.errors(include_url=False)
            if not (partial and details["type"] == "missing") and not _is_told_by_items(details)
            for one in _of_error(kind, value, details)
        ]
        first: dict[Path, Mistake] = {}
        for one in sorted(found, key=lambda one: [str(step) for step in one.place]):
            first.setdefault(one.faulty, one)  # a value that fits none of several forms is told once
        return list(first.values())
    return []


def refuse_wrong(kind: type[_Model], value: Any, *, where: str) -> _Model:
    """A model of a value. Raises ConfigError: it does not fit; all mistakes are told."""
    if found := mistakes(kind, value, where=where):
        raise ConfigError(" ".join(map(str, found)))
    return kind.model_validate(value)


_adapters: dict[int, TypeAdapter[Any]] = {}


def _adapter(kind: Any) -> TypeAdapter[Any]:
    """Of a type that stays as long as the program."""
    if id(kind) not in _adapters:
        is_model = isinstance(kind, type) and issubclass(kind, BaseModel)
        _adapters[id(kind)] = TypeAdapter(kind, config=None if is_model else ConfigDict(strict=True))
    return _adapters[id(kind)]


@dataclass
class _Place:
    """Where an error of pydantic is: keys, what is there, and the nearest description."""

    path: tuple[str | int, ...]
    kind: Any
    hint: str = ""
    several: bool = False

    def step(self, key: str | int) -> bool:
        """Go one step of an error's location; False where a union's parts begin, of which one location is enough."""
        forms, discriminator, hint = _forms(self.kind)
        self.hint = hint or self.hint
        if discriminator:  # the step names one of the forms
            self.kind = next(form for form in forms if key in _tags(form, discriminator))
            return True
        if len(forms) > 1:
            self.several = True
            return False
        (self.kind,) = forms
        self.path = (*self.path, key)
        if isinstance(self.kind, type) and issubclass(self.kind, BaseModel):
            self.kind = _typed(self.kind, str(key))
        elif parts := get_args(self.kind):  # else it is any value
            fixed = get_origin(self.kind) is tuple and Ellipsis not in parts
            self.kind = (
                parts[key]
                if fixed and isinstance(key, int)
                else parts[1 if get_origin(self.kind) is dict else 0]
            )
        return True


def fields_of(model: type[BaseModel]) -> dict[str, FieldInfo]:
    return {field.alias or name: field for name, field in model.model_fields.items()}


@cache
def descriptions(model: type[BaseModel]) -> Mapping[str, str]:
    """Field → the text below it in the source of its class, where it has one; read when it is asked for."""
    found = {}
    for base in reversed(model.__mro__):
        if issubclass(base, Settings) and base is not Settings:
            (tree,) = ast.parse(dedent(inspect.getsource(base))).body
            assert isinstance(tree, ast.ClassDef)
            for field, text in pairwise(tree.body):
                if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
                    found[ast.unparse(field.target)] = " ".join(str(ast.literal_eval(text.value)).split())
    return found


def description_of(model: type[BaseModel], key: str) -> str:
    """What is said of a key: below its field, with its type, or of the model that it holds."""
    (kind, *others), _, text = _forms(_typed(model, key))
    is_model = isinstance(kind, type) and issubclass(kind, Settings) and not others
    return text or (" ".join((kind.__doc__ or "").split()) if is_model else "")


def choices_of(model: type[BaseModel], key: str) -> list[Any]:
    kinds = _forms(_typed(model, key))[0]
    return [choice for kind in kinds if get_origin(kind) is Literal for choice in get_args(kind)]


def _typed(model: type[BaseModel], key: str) -> Any:
    """The type of a field with what is said of it; None for a key that is none."""
    name = next((name for name, field in model.model_fields.items() if (field.alias or name) == key), "")
    if not name:
        return None
    field = model.model_fields[name]
    return Annotated[field.annotation, Field(description=descriptions(model).get(name)), field]


def _forms(kind: Any) -> tuple[list[Any], str, str]:
    """What a type can be, by which key its forms are told apart, and what is said of it; null left out."""
    discriminator = hint = ""
    while True:
        if get_origin(kind) is Annotated:
            kind, *about = get_args(kind)
            for info in about:
                if isinstance(info, FieldInfo):
                    hint = hint or info.description or ""
                    discriminator = str(info.discriminator or discriminator)
        elif get_origin(kind) in (Union, UnionType):
            forms = [form for form in get_args(kind) if form is not NoneType]
            if len(forms) > 1:
                return forms, discriminator, hint
            (kind,) = forms
        else:
            return [kind], discriminator, hint


def _tags(model: Any, key: str) -> tuple[Any, ...]:
    return get_args(model.model_fields[key].annotation)


def _is_told_by_items(error: ErrorDetails) -> bool:
    """Whether a list is said to be short because its items are wrong, which are told themselves."""
    return error["type"] == "too_short" and len(error["input"]) >= error["ctx"]["min_length"]


def _of_error(kind: Any, whole: Any, error: ErrorDetails) -> Iterator[Mistake]:
    place, steps = _Place((), kind), list(error["loc"])
    missing = steps.pop() if error["type"] in ("missing", "extra_forbidden") else ""
    for step, following in zip(steps, [*steps[1:], ""], strict=False):
        if following == "[key]":  # a key of a map, which stands for the map
            place.kind = get_args(_forms(place.kind)[0][0])[0]
            break
        if not place.step(step):
            break
    forms, discriminator, hint = _forms(place.kind)
    place.hint = hint or place.hint
    path, value = place.path, error["input"]
    if place.several:
        value = reduce(lambda found, key: found[key], path, whole)

    def told(text: str, *further: str | int, hint: str = place.hint) -> Mistake:
        return Mistake((*path, *further), " ".join(filter(None, (text, hint))), (*path, *further))

    match error["type"]:
        case _ if place.several and (inside := _inside(forms, value)):
            for one in inside:
                yield told(one.text, *one.faulty[1:])
        case _ if place.several:
            yield told(f"{value!r} has none of the expected forms.")
        case "missing" if isinstance(missing, int):
            yield told(f"{error['input']!r} needs one more value.")
        case "missing":
            about = _forms(_typed(forms[0], str(missing)))[2]
            yield Mistake(path, f"{missing!r} is missing. {about}".strip(), (*path, missing))
        case "extra_forbidden":
            gone = KEYS.get(".".join(map(str, (*path, missing))))
            known_keys = sorted(fields_of(forms[0]))
            here = ELSEWHERE.get(str(missing))
            said = (
                f"this key is gone. {gone}"
                if gone
                else f"there is no such key. {instead(str(missing), known_keys)}"
            )
            if here in known_keys:
                said = f"there is no such key. Here it is called {here}."
            yield told(said, missing, hint="")
        case "union_tag_not_found":
            yield Mistake(path, f"{discriminator!r} is missing.", (*path, discriminator))
        case "union_tag_invalid":
            known_tags = [str(tag) for form in forms for tag in _tags(form, discriminator)]
            tag = value.get(discriminator)
            yield told(f"there is no {tag!r}. {instead(str(tag), known_tags)}", discriminator)
        case "literal_error":
            yield told(
                f"{value!r} is not one of the choices. {instead(str(value), map(str, get_args(forms[0])))}"
            )
        case "value_error" if isinstance(wrong := error["ctx"]["error"], Wrong):
            for key, text in wrong.found:
                yield told(text, *([key] if key and isinstance(key, str) else key), hint="")
        case "value_error":
            yield told(str(error["ctx"]["error"]))
        case "string_pattern_mismatch" if path[-1:] == ("language",):
            named = re.search(rf"\b{re.escape(value.lower())} (\w\w)\b", _CODES)
            code = named[1] if named else value[:2].lower() if value[2:3] in ("-", "_") else ""
            yield told(f"{value!r} is not a two-letter code.{f' Write {code}.' if code else ''}")
        case found if found in _KINDS:
            wanted, words = _KINDS[found]
            yield told(f"{value!r} is not {words}. {_unquoted(value, wanted)}".strip())
        case _:
            said = error["msg"].partition("should ")[2].partition(" after validation")[0]
            yield told(f"{value!r} should {said}.")


def _inside(forms: Sequence[Any], value: Any) -> list[Mistake]:
    """What is wrong with a value as the one form of a union that it can be; nothing where it is not one."""
    fitting = [form for form in forms if _may_be(form, value)]
    return mistakes(fitting[0], value, where="") if len(fitting) == 1 else []


def _may_be(form: Any, value: Any) -> bool:
    """Whether a value is of the kind of YAML that a form of a union has."""
    (kind,), _, _ = _forms(form)
    if get_origin(kind) is Literal:
        return type(value) in {type(one) for one in get_args(kind)}
    kind = get_origin(kind) or kind
    wanted = dict if issubclass(kind, BaseModel) else {tuple: list, float: int | float}.get(kind, kind)
    return isinstance(value, wanted) and isinstance(value, bool) == (kind is bool)


def _unquoted(value: Any, wanted: type) -> str:
    """What to write instead of a text that would be right without quotes; empty for other mistakes."""
    # a number or a list of names is short; reading a long text as YAML could cost any time
    if isinstance(value, bool) and wanted is str:
        return "YAML reads yes, no, on and off as true or false. Put them in quotes."
    if not isinstance(value, str) or len(value) > _LONGEST_NUMBER:
        return ""
    from sentflow.files.settings_files import parse_settings  # whose limits are a model

    try:
        meant = parse_settings(value, where="")
    except ConfigError:
        return ""
    if isinstance(meant, str):
        return _with_a_point(meant) if wanted is float else ""
    is_wanted = isinstance(meant, wanted) or (wanted is float and isinstance(meant, int))
    if not is_wanted or (isinstance(meant, bool) and wanted is not bool):
        return ""
    return (
        f"Write {value} without quotes, in a file: snakemake --config turns all values inside {{…}} into texts, "
        "--configfile does not."
    )


def _with_a_point(text: str) -> str:
    """How YAML reads a text like 3e-5 as a number; empty for other texts."""
    found = _EXPONENT.fullmatch(text)
    if not found:
        return ""
    whole, fraction, sign, exponent = found.groups()
    return (
        f"Write {whole}{fraction or '.0'}e{sign or '+'}{exponent}: without point and sign, YAML reads a text."
    )
