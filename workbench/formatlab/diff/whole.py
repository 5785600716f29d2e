"""What changed between two models as wholes: versions, metadata, inputs and outputs, functions; then
their graphs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from google.protobuf.message import Message
from onnx import FunctionProto, ModelProto, ValueInfoProto, defs

from formatlab import graphs
from formatlab.diff import scopes
from formatlab.diff.changes import Change, Kind
from formatlab.diff.compare import Comparison, ScopeDiff, attribute_change, attribute_text
from formatlab.diff.matching import Functions, Labels
from formatlab.diff.reading import Model
from formatlab.diff.scopes import Scope
from formatlab.diff.types import Declared, declared
from formatlab.diff.words import count, joined, listed, plain, quoted

FIELDS = {
    "producer_name": "the producer",
    "producer_version": "the producer's version",
    "domain": "the model's domain",
    "doc_string": "the model's description",
    "model_version": "the model's version",
}


@dataclass(eq=False)
class Compared:
    """Two models side by side: what changed, and their scopes (the main graph first)."""

    changes: list[Change]
    scopes: list[ScopeDiff]


def compare(a: Model, b: Model) -> Compared:
    """Raises CannotDiff."""
    main_a = scopes.main(a)
    main_b = scopes.main(b)
    bodies_a = scopes.functions(a)
    bodies_b = scopes.functions(b)
    labels = Labels()
    functions = (Functions(bodies_a, labels), Functions(bodies_b, labels))
    comparison = Comparison(functions, labels)
    say = comparison.changes
    say += _versions(a.proto, b.proto)
    say += _metadata(a.proto, b.proto)
    inputs = _by_name(main_a.inputs, main_b.inputs)
    outputs = _by_name(main_a.output_names, main_b.output_names)
    _interface(comparison, a.proto, b.proto, inputs=inputs, outputs=outputs)
    comparison.scope(main_a, main_b, inputs=inputs, outputs=outputs)
    _functions(comparison, functions, bodies_a, bodies_b, models=(a, b))
    say += _inner_metadata(a.proto, b.proto)
    say += _training(a.proto, b.proto)
    return Compared(comparison.changes, comparison.scopes)


def false_declarations(
    false: tuple[dict[str, list[str]], dict[str, list[str]]],
) -> Iterable[Change]:
    """Shapes that a file declares of inner values and that its own nodes contradict."""
    mine, theirs = false
    for name, (says, gives) in theirs.items():
        if [says, gives] not in mine.values():
            yield Change(
                kind=Kind.INVALID,
                text=f"the value {quoted(name)} is declared as {says}, but its node gives {gives}",
                b=(plain(name),),
                details={"from": gives, "to": says},
            )
    for name, (says, gives) in mine.items():
        if [says, gives] not in theirs.values():
            yield Change(
                kind=Kind.INVALID,
                text=f"the value {quoted(name)} was declared as {says}, although its node gives {gives}, and no longer is",
                a=(plain(name),),
                details={"from": says, "to": gives},
            )


def _versions(a: ModelProto, b: ModelProto) -> Iterable[Change]:
    if a.ir_version != b.ir_version:
        yield Change(
            kind=Kind.IR,
            text=f"the IR version was {a.ir_version} and is {b.ir_version}",
            details={"from": a.ir_version, "to": b.ir_version},
        )
    mine = _imports(a)
    theirs = _imports(b)
    changed = [name for name in mine if name in theirs and mine[name] != theirs[name]]
    for name in changed:
        yield Change(
            kind=Kind.OPSET,
            text=f"the opset of {_domain(name)} was {mine[name]} and is {theirs[name]}{_redefined(b, name, mine[name], theirs[name])}",
            details={"domain": plain(name), "from": mine[name], "to": theirs[name]},
        )
    for verb, some, others in (
        ("is not imported any more", mine, theirs),
        ("is imported", theirs, mine),
    ):
        new = [name for name in some if name not in others]
        for name in new if len(new) <= 2 else ():
            yield Change(
                kind=Kind.OPSET,
                text=f"{_domain(name)} {verb} (opset {some[name]})",
                details={"domain": plain(name), "from": mine.get(name), "to": theirs.get(name)},
            )
        if len(new) > 2:
            names = listed([quoted(name or "ai.onnx") for name in new])
            yield Change(
                kind=Kind.OPSET,
                text=f"{len(new)} domains are {verb.removeprefix('is ')}: {names}{_unused(b, new)}",
                details={"domains": [plain(name) for name in new]},
            )
    for name in sorted(_twice(b) | _twice(a)):
        before, after = (_versions_of(model, name) for model in (a, b))
        if before == after:
            continue
        if len(after) > 1:
            now = joined([str(version) for version in after])
            text = f"{_domain(name)} is imported {len(after)} times, with the opsets {now}"
        else:
            text = f"{_domain(name)} was imported {len(before)} times, and no longer is"
        yield Change(kind=Kind.INVALID, text=text, details={"domain": plain(name), "to": after})


def _redefined(model: ModelProto, name: str, before: int, after: int) -> str:
    """The operators of the model that have other attributes, defaults or inputs in the other opset."""
    used = sorted(
        {node.op_type for node in graphs.nodes(model) if graphs.domain(node.domain) == name}
    )
    found = [each for each in used if _form(each, name, before) != _form(each, name, after)]
    if not found:
        return ""
    return f", between which {listed([quoted(each) for each in found])} {'was' if len(found) == 1 else 'were'} defined anew"


def _form(operator: str, name: str, version: int) -> Hashable:
    """What an opset says of an operator's attributes and inputs, None where it does not know it."""
    if version < 1 or not defs.has(operator, name):
        return None
    try:
        schema = defs.get_schema(operator, version, name)
    except defs.SchemaError:
        return None
    attributes = (
        (each.name, each.default_value.SerializeToString(deterministic=True))
        for each in schema.attributes.values()
    )
    return tuple(sorted(attributes)), schema.min_input, schema.max_input


def _unused(model: ModelProto, names: list[str]) -> str:
    used = {graphs.domain(node.domain) for node in graphs.nodes(model)}
    return "" if used.intersection(names) else ", which no node uses"


def _imports(model: ModelProto | FunctionProto) -> dict[str, int]:
    return {graphs.domain(each.domain): each.version for each in model.opset_import}


def _opsets(versions: list[int]) -> int | str | None:
    """One version, or all of a domain that is imported several times."""
    if len(versions) < 2:
        return versions[0] if versions else None
    return joined([str(each) for each in versions])


def _versions_of(model: ModelProto | FunctionProto, name: str) -> list[int]:
    return [each.version for each in model.opset_import if graphs.domain(each.domain) == name]


def _twice(model: ModelProto) -> set[str]:
    times = Counter(graphs.domain(each.domain) for each in model.opset_import)
    return {name for name, number in times.items() if number > 1}


def _domain(name: str) -> str:
    return f"the domain {quoted(name)}" if name else "the default domain"


def _metadata(a: ModelProto, b: ModelProto) -> Iterable[Change]:
    for name, called in FIELDS.items():
        before = getattr(a, name)
        after = getattr(b, name)
        if before != after:
            yield Change(
                kind=Kind.METADATA,
                text=f"{called} {_was(before, after)}",
                details={"field": name, "from": plain(str(before)), "to": plain(str(after))},
            )
    mine, theirs = (_entries(model) for model in (a, b))
    for key in sorted({*mine, *theirs}):
        before = mine.get(key)
        after = theirs.get(key)
        if before != after:
            yield Change(
                kind=Kind.METADATA,
                text=f"the metadata {quoted(key)} {_was(before, after)}",
                sort=("metadata", key in mine, key in theirs),
                many="{count} entries of metadata changed: {names}",
                name=quoted(key),
                details={
                    "field": plain(key),
                    "from": plain(before or ""),
                    "to": plain(after or ""),
                },
            )


def _entries(model: ModelProto) -> dict[str, str]:
    """The metadata by key; of a key that stands twice all values, in their order."""
    found: dict[str, list[str]] = defaultdict(list)
    for each in model.metadata_props:
        found[each.key].append(each.value)
    return {
        key: values[0] if len(values) == 1 else f"{len(values)} times: {values}"
        for key, values in found.items()
    }


def _was(before: object, after: object) -> str:
    if before in (None, "", 0) and after not in (None, ""):
        return f"is new: {quoted(str(after))}"
    if before is None:
        return "is new, and empty"
    if after in (None, "", 0):
        return f"is gone; it was {quoted(str(before))}"
    return f"was {quoted(str(before))} and is {quoted(str(after))}"


def _inner_metadata(a: ModelProto, b: ModelProto) -> Iterable[Change]:
    """Descriptions and metadata of graphs, nodes and tensors, which exporters fill by the thousand."""
    before = _notes(a)
    after = _notes(b)
    if before != after:
        gone = len(before)
        new = len(after)
        text = "notes inside the graph (descriptions, metadata) changed"
        if not after:
            text = f"{count(gone, 'note')} inside the graph (descriptions, metadata) {'are' if gone > 1 else 'is'} gone"
        elif not before:
            text = f"{count(new, 'note')} inside the graph (descriptions, metadata) {'are' if new > 1 else 'is'} new"
        yield Change(kind=Kind.METADATA, text=text, details={"from": gone, "to": new})


def _training(a: ModelProto, b: ModelProto) -> Iterable[Change]:
    """Graphs that a runtime for training would run, and no session runs."""
    before, after = (
        [each.SerializeToString(deterministic=True) for each in model.training_info]
        for model in (a, b)
    )
    if before != after:
        how = "is gone" if not after else "is new" if not before else "changed"
        yield Change(
            kind=Kind.METADATA,
            text=f"the information for training {how}, which no session runs and of which nothing else is compared",
            details={"from": len(before), "to": len(after)},
        )


def _notes(model: ModelProto) -> list[str]:
    found: list[str] = []
    stack: list[Message] = [model.graph, *model.functions]
    while stack:
        message = stack.pop()
        if getattr(message, "doc_string", ""):
            found.append(message.doc_string)
        found += [f"{each.key}={each.value}" for each in getattr(message, "metadata_props", ())]
        for field, value in message.ListFields():
            if field.message_type is not None and field.name not in ("metadata_props", "type"):
                stack.extend(value if field.is_repeated else [value])
    return sorted(found)


def _by_name(mine: Sequence[str], theirs: Sequence[str]) -> dict[int, int]:
    """Which is which: those of one name, then the others in their order."""
    places = {name: at for at, name in reversed(list(enumerate(theirs)))}
    found = {at: places[name] for at, name in enumerate(mine) if name in places}
    if len(set(found.values())) < len(found):
        return {at: at for at in range(min(len(mine), len(theirs)))}
    taken = set(found.values())
    free = [at for at in range(len(theirs)) if at not in taken]
    if len(mine) == len(theirs):
        rest = (at for at in range(len(mine)) if at not in found)
        found |= dict(zip(rest, free, strict=True))
    return found


def _interface(
    comparison: Comparison,
    a: ModelProto,
    b: ModelProto,
    *,
    inputs: dict[int, int],
    outputs: dict[int, int],
) -> None:
    (fed, mine), (theirs_fed, theirs) = (_inputs(model) for model in (a, b))
    values = [
        ("input", mine, theirs, inputs),
        ("output", list(a.graph.output), list(b.graph.output), outputs),
    ]
    comparison.symbols.learn(
        (declared(before[one]), declared(after[other]))
        for _, before, after, which in values
        for one, other in which.items()
    )
    for noun, before, after, which in values:
        comparison.changes += _values(comparison, noun, before, after, which=which)
    # Initializers that are inputs as well: a caller may feed them, as they are declared.
    for name in fed.keys() & theirs_fed.keys():
        before = fed[name]
        after = theirs_fed[name]
        if len(before) != len(after):
            text = f"the input {quoted(name)} is declared {count(len(after), 'time')}, and was {count(len(before), 'time')}"
            comparison.changes.append(Change(kind=Kind.INVALID, text=text, b=(plain(name),)))
        for one, other in zip(before, after, strict=False):
            comparison.changes += _type(comparison, "input", name, declared(one), declared(other))


def _inputs(
    model: ModelProto,
) -> tuple[dict[str, list[ValueInfoProto]], list[ValueInfoProto]]:
    """The inputs that have an initializer, by name, and the others."""
    stored = graphs.stored(model.graph)
    fed: dict[str, list[ValueInfoProto]] = defaultdict(list)
    for value in model.graph.input:
        if value.name in stored:
            fed[value.name].append(value)
    return fed, [value for value in model.graph.input if value.name not in stored]


def _values(
    comparison: Comparison,
    noun: str,
    mine: Sequence[ValueInfoProto],
    theirs: Sequence[ValueInfoProto],
    *,
    which: dict[int, int],
) -> Iterable[Change]:
    for at, value in enumerate(mine):
        if at not in which:
            yield Change(
                kind=Kind.INTERFACE,
                text=f"the {noun} {quoted(value.name)} is gone",
                a=(plain(value.name),),
            )
    taken = set(which.values())
    for at, value in enumerate(theirs):
        if at not in taken:
            shown = declared(value)
            yield Change(
                kind=Kind.INTERFACE,
                text=f"the {noun} {quoted(value.name)} is new{f', {shown}' if shown else ''}",
                b=(plain(value.name),),
            )
    for one, other in which.items():
        name = mine[one].name
        after = theirs[other].name
        if name != after:
            yield Change(
                kind=Kind.INTERFACE,
                text=f"the {noun} {quoted(name)} is called {quoted(after)} now, so programs that name it have to change",
                a=(plain(name),),
                b=(plain(after),),
            )
        yield from _type(comparison, noun, after, declared(mine[one]), declared(theirs[other]))
    if list(which) and [which[at] for at in sorted(which)] != sorted(taken):
        yield Change(kind=Kind.INTERFACE, text=f"the {noun}s stand in another order")


def _type(
    comparison: Comparison, noun: str, name: str, before: Declared | None, after: Declared | None
) -> Iterable[Change]:
    if before is None or after is None:
        if before is not after:
            verb = "no longer declares a type" if after is None else f"declares a type now, {after}"
            yield Change(
                kind=Kind.RETYPED, text=f"the {noun} {quoted(name)} {verb}", b=(plain(name),)
            )
    elif not comparison.symbols.same(before, after):
        yield Change(
            kind=Kind.RETYPED if before.element != after.element else Kind.RESIZED,
            text=f"the {noun} {quoted(name)} was {before} and is {after}",
            a=(plain(name),),
            b=(plain(name),),
            details={"from": str(before), "to": str(after)},
        )


def _functions(
    comparison: Comparison,
    labels: tuple[Functions, Functions],
    mine: dict[str, Scope],
    theirs: dict[str, Scope],
    *,
    models: tuple[Model, Model],
) -> None:
    """Functions of one name are compared; others may be the same under another name."""
    first, second = labels
    gone = [name for name in mine if name not in theirs]
    new = [name for name in theirs if name not in mine]
    for name in sorted({*mine, *theirs}):
        if scopes.AGAIN in name and (name in mine) != (name in theirs):
            once = quoted(name.partition(scopes.AGAIN)[0])
            text = f"the function {once} is defined more than once now, which ONNX forbids"
            if name in mine:
                text = f"the function {once} was defined more than once, which ONNX forbids, and is no longer so often"
            comparison.changes.append(Change(kind=Kind.INVALID, text=text))
    twins: dict[int, list[str]] = defaultdict(list)
    for name in reversed(new):
        twins[second(name)].append(name)
    for name in list(gone):
        if twins[first(name)]:
            twin = twins[first(name)].pop()
            gone.remove(name)
            new.remove(twin)
            comparison.changes += _signature(mine[name], theirs[twin], models)
            comparison.changes.append(
                Change(
                    kind=Kind.NAMES, text=f"the function {quoted(name)} is called {quoted(twin)}"
                )
            )
    for name in gone:
        comparison.changes.append(
            Change(
                kind=Kind.REMOVED, text=f"the function {quoted(name)} was removed", a=(plain(name),)
            )
        )
    for name in new:
        comparison.changes.append(
            Change(kind=Kind.ADDED, text=f"the function {quoted(name)} was added", b=(plain(name),))
        )
    for name in mine:
        if name in theirs:
            comparison.changes += _signature(mine[name], theirs[name], models)
            comparison.scope(mine[name], theirs[name], f"the function {quoted(name)}")


def _signature(a: Scope, b: Scope, models: tuple[Model, Model]) -> Iterable[Change]:
    """What a function's nodes do not show: the opsets that they are of, and its attributes."""
    if not (isinstance(a.proto, FunctionProto) and isinstance(b.proto, FunctionProto)):
        return
    title = b.title.removeprefix("function ")
    where = f"the function {quoted(title)}"
    for name in sorted(
        {graphs.domain(each.domain) for p in (a.proto, b.proto) for each in p.opset_import}
    ):
        before, after = (_opsets(_versions_of(proto, name)) for proto in (a.proto, b.proto))
        if before != after:
            yield Change(
                kind=Kind.OPSET,
                text=f"in {where} the opset of {_domain(name)} was {before or 'not imported'} and is {after or 'not imported'}",
                details={"domain": plain(name), "from": before, "to": after},
            )
    needs, needed = (
        joined([quoted(name) for name in sorted(each.attribute)]) if each.attribute else "none"
        for each in (a.proto, b.proto)
    )
    if needs != needed:
        yield Change(
            kind=Kind.ATTRIBUTE,
            text=f"the attributes that {where} needs were {needs} and are {needed}",
            details={"from": needs, "to": needed},
        )
    defaults = [
        scopes.own_defaults(proto, model)
        for proto, model in zip((a.proto, b.proto), models, strict=True)
    ]
    for name in sorted({*defaults[0], *defaults[1]}):
        was, now = (each.get(name) for each in defaults)
        if was != now:
            yield Change(
                kind=Kind.ATTRIBUTE,
                text=f"the default of {quoted(name)} in {where} {attribute_change(was, now)}",
                details={
                    "attribute": plain(name),
                    "from": attribute_text(was),
                    "to": attribute_text(now),
                },
            )
