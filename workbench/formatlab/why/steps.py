"""The steps, each of which can end the search: the same question? rounding? where? what?

Everything here runs in a process that can be spared (`formatlab.why.child`).
"""

from __future__ import annotations

import itertools
import math
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path

import numpy as np
from onnx import ModelProto, NodeProto, helper

from formatlab import halves
from formatlab.diff import places
from formatlab.diff.coverage import without_values
from formatlab.diff.parts import Whole, reads
from formatlab.diff.words import plain, quoted
from formatlab.measure import saturation
from formatlab.measure.errors import first_line
from formatlab.measure.float64 import NoFloat64
from formatlab.measure.randomness import drawing, suspects
from formatlab.measure.yardstick import Verdict, judge
from formatlab.numerics import Feeds
from formatlab.why import answer as answers
from formatlab.why import causes as proofs
from formatlab.why import levels, program, question, reduced, runs, unseen, values
from formatlab.why.answer import DIFFERENT, ROUNDING, UNDECIDED, Answer, Cause, Where
from formatlab.why.repairs import in_training
from formatlab.why.reproducer import write
from formatlab.why.values import matched

# Rounding adds up: outputs that are a little more than four units off, while no part is.
ADDS_UP = 100.0
# Places whose cause is looked for.
PLACES = 4
# What a repaired range brings the outputs of an INT8 model that would pass: two bits.
SHOWN_DB = 12.0
NO_WAY = (
    "None of the usual ways to prepare inputs or to read outputs gives your program's numbers. "
    "Export it again in evaluation mode, or ask about two files"
)
# What two processors give for a file of 8 bits, whose codes may fall to either side of a half.
SAME_DB = 40.0
# Of values inside that are held in memory, for each side; the others lie in files.
MOST_BYTES = 2 << 30


@dataclass(eq=False, kw_only=True)
class Ask:
    """What was asked. `b` is None for one model."""

    a: ModelProto
    b: ModelProto | None
    feeds: question.Fed | None = None
    expected: question.Fed | None = None
    seed: int = 1
    runs: int = question.RUNS
    sizes: Mapping[str, int] = field(default_factory=dict)
    ranges: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    seconds: float = 60.0
    reproducer: Path | None = None
    notes: list[str] = field(default_factory=list)  # on the files themselves
    folder: Path | None = None  # for values that memory does not hold
    careful: bool = False  # B has ended a process as a whole, so that it is run part by part alone


@dataclass(eq=False)
class Steps:
    """`tell` gets (what is being done, the answer so far)."""

    ask: Ask
    tell: Callable[[str, Answer], None]
    _: KW_ONLY
    began: float = field(default_factory=time.monotonic)
    answer: Answer = field(default_factory=Answer)

    def left(self) -> bool:
        return time.monotonic() - self.began < self.ask.seconds

    def say(self, text: str) -> None:
        self.answer.seconds = time.monotonic() - self.began
        self.tell(text, self.answer)

    def run(self) -> Answer:
        self._run()
        self.answer.complete = self.left()
        self.answer.seconds = time.monotonic() - self.began
        return self.answer

    def _run(self) -> None:
        self.answer.notes += self.ask.notes
        if self.ask.b is None:
            self._one()
        else:
            self._two(self.ask.a, self.ask.b)

    def end(self, verdict: str, headline: str) -> None:
        self.answer.verdict = verdict
        self.answer.headline = headline

    # Two models.

    def _two(self, a: ModelProto, b: ModelProto) -> None:
        self.say("the same question?")
        try:
            asked = question.ask(
                a,
                b,
                self.ask.feeds,
                self.ask.seed,
                runs=self.ask.runs,
                sizes=self.ask.sizes,
                ranges=self.ask.ranges,
                careful=self.ask.careful,
            )
        except question.Unlike as problem:
            self.answer.causes = [
                Cause(kind="inputs", proved=True, sentence=f"The two take other inputs: {problem}")
            ]
            self.end(UNDECIDED, f"these are not the same question: {problem}")
            return
        self.answer.notes += asked.notes
        self.answer.notes += [
            f"B takes {quoted(asked.inputs[name])} with its axes in the order {list(axes)} of A's, so that A's was moved for it"
            for name, axes in asked.moved.items()
        ]
        self.answer.inputs = _inputs(asked)
        if not asked.outputs:
            self.end(UNDECIDED, "no output of A is one of B, so there is nothing to compare")
            return
        if self._is_random(asked):
            return
        if (
            self.ask.expected is not None
            and self.ask.b is not None
            and self._expected(asked.a, asked.feeds_a)
        ):
            return
        self._compare(asked)

    def _is_random(self, asked: question.Question) -> bool:
        """Ends the search where A draws random numbers itself."""
        self.say("the same question? two runs of A")
        if not drawing(asked.a.proto, asked.feeds_a[:1]):
            return False
        node = _random_node(asked.b) or _random_node(asked.a)
        kind = (
            "training-mode"
            if node and node.op_type in ("Dropout", "BatchNormalization")
            else "inputs"
        )
        where = None if node is None else _where_node(asked.b, node.output[0])
        self.answer.causes = [
            Cause(
                kind=kind,
                proved=True,
                sentence="Two runs of A on the same inputs give other numbers"
                + (f", because {node.op_type} draws random ones" if node is not None else ""),
                where=where,
            )
        ]
        what = (
            "put it into evaluation mode"
            if kind == "training-mode"
            else "give the random numbers as an input, or take them out"
        )
        self.end(UNDECIDED, f"A is random, so its own two runs differ: {what}, and ask again")
        return True

    def _compare(self, asked: question.Question) -> None:
        self.say("rounding? A and B without optimization")
        names_a = [one for one, _ in asked.outputs]
        names_b = [other for _, other in asked.outputs]
        mine = runs.run(runs.with_outputs(asked.a.proto, names_a), asked.feeds_a)
        if self.ask.careful:
            self._search(asked, None, -math.inf)
            return
        try:
            theirs = runs.run(runs.with_outputs(asked.b.proto, names_b), asked.feeds_b)
        except Exception as problem:  # ONNX Runtime's exceptions have no common type  # noqa: BLE001
            self.end(UNDECIDED, f"A runs on these inputs, and B does not: {first_line(problem)}")
            return
        found = [
            [places._like(o, m) for o, m in zip(o_run, m_run, strict=True)]
            for o_run, m_run in zip(theirs, mine, strict=True)
        ]
        level = levels.Measure.level(mine, found)
        self.answer.numbers["sqnr_db"] = level
        verdict = self._judged(asked, names_a, mine, found)
        if verdict is not None:
            self.answer.numbers["units"] = verdict.units
        if self._is_rounding(asked, mine, found, verdict):
            return
        if verdict is not None and self._is_in_training(asked, mine, verdict):
            return
        if self._are_exchanged(asked, mine, found):
            return
        self._search(asked, verdict, level)

    def _are_exchanged(self, asked: question.Question, mine: runs.Runs, found: runs.Runs) -> bool:
        """Ends the search where two outputs of B only have each other's names."""
        for one, other in itertools.combinations(range(len(asked.outputs)), 2):
            if not all(
                values.are_exchanged((wanted[one], wanted[other]), (given[one], given[other]))
                for wanted, given in zip(mine, found, strict=True)
            ):
                continue
            turned = [list(run) for run in found]
            for run in turned:
                run[one], run[other] = run[other], run[one]
            after = self._judged(asked, [name for name, _ in asked.outputs], mine, turned)
            if after is None or not after.same:
                continue
            shown = [quoted(asked.outputs[at][1]) for at in (one, other)]
            self.answer.numbers["after_units"] = after.units
            self.answer.numbers["after_sqnr_db"] = levels.Measure.level(mine, turned)
            self.answer.causes = [
                Cause(
                    kind="layout",
                    proved=True,
                    sentence=f"The outputs {shown[0]} and {shown[1]} of B have changed places: each has what A gives as the other",
                    where=_where_node(asked.b, asked.outputs[one][1]),
                )
            ]
            self.end(DIFFERENT, f"the outputs {shown[0]} and {shown[1]} have each other's names")
            return True
        return False

    def _judged(
        self, asked: question.Question, names: Sequence[str], mine: runs.Runs, found: runs.Runs
    ) -> Verdict | None:
        self.say("rounding? A in float64")
        try:
            exact = runs.exact(runs.with_outputs(asked.a.proto, names), asked.feeds_a)
        except NoFloat64 as problem:
            return self._judged_by_b(asked, mine, found, str(problem))
        except Exception as problem:  # ONNX Runtime's exceptions have no common type  # noqa: BLE001
            return self._judged_by_b(asked, mine, found, first_line(problem))
        return judge(found, mine, exact, names)

    def _judged_by_b(
        self, asked: question.Question, mine: runs.Runs, found: runs.Runs, why: str
    ) -> Verdict | None:
        """The yardstick is the same from either end, so a B that float64 can run will do."""
        names = [other for _, other in asked.outputs]
        try:
            exact = runs.exact(runs.with_outputs(asked.b.proto, names), asked.feeds_b)
            verdict = judge(mine, found, exact, names)
        except Exception:  # nor have they one here  # noqa: BLE001
            self.answer.notes.append(f"A has no run in float64 as a whole ({plain(why, 160)})")
            return None
        return verdict if verdict.same else None

    def _is_rounding(
        self,
        asked: question.Question,
        mine: runs.Runs,
        found: runs.Runs,
        verdict: Verdict | None,
    ) -> bool:
        equal = all(runs.equal(one, other) for one, other in zip(mine, found, strict=True))
        names = [one for one, _ in asked.outputs]
        empty = [
            each for each in without_values(names, mine) if each in without_values(names, found)
        ]
        if equal and len(empty) == len(names):
            self.end(
                UNDECIDED, f"{empty[0]} run, so nothing was compared: give other inputs (--feeds)"
            )
            return True
        self.answer.notes += [f"{each} run: of this output nothing was compared" for each in empty]
        if equal:
            self.end(ROUNDING, "both give the same numbers, bit for bit")
        elif verdict is not None and verdict.same:
            reason = verdict.text.removeprefix("same: ")
            self.end(ROUNDING, f"B is as near to float64 as A is itself: {reason}")
        else:
            return False
        if not equal:
            self.answer.notes += unseen.settings(asked, self.left)
        self._levels_of(asked.b.proto, asked.feeds_b, theirs=True)
        return True

    def _is_in_training(self, asked: question.Question, mine: runs.Runs, before: Verdict) -> bool:
        """Ends the search where evaluation mode brings B to A, or has its share in that: then the rest is
        looked for in B as it is in evaluation mode. Of a BatchNormalization that A has folded, no part
        that has the Conv alone could show it.
        """
        trained = in_training(asked.b)
        if not trained:
            return False
        self.say("what? B in evaluation mode")
        names_a = [one for one, _ in asked.outputs]
        names_b = [other for _, other in asked.outputs]
        model = ModelProto.FromString(asked.b.proto.SerializeToString())
        for repair in trained:
            repair.edit(model)
        try:
            found = runs.run(runs.with_outputs(model, names_b), asked.feeds_b)
            exact = runs.exact(runs.with_outputs(asked.a.proto, names_a), asked.feeds_a)
            after = judge(found, mine, exact, names_a)
        except Exception:  # then part by part  # noqa: BLE001
            return False
        level = levels.Measure.level(mine, found)
        if (
            not after.same
            and level < (self.answer.numbers["sqnr_db"] or -math.inf) + proofs.SHARE_DB
        ):
            return False
        change = f"from {before.units:.2g} to {after.units:.2g} units"
        if not after.same:
            change = f"from {self.answer.numbers['sqnr_db']:.0f} dB to {level:.0f} dB, which is not all of it"
        causes = [
            proofs.Cause(
                kind=repair.kind,
                proved=True,
                sentence=f"{repair.text[:1].upper()}{repair.text[1:]}: {repair.done}"
                f"{' and the others so as well' if len(trained) > 1 else ''}, the outputs go {change}",
                node=repair.node,
                units=(before.units, after.units),
                repairs=(repair,),
            )
            for repair in trained
        ]
        named = [
            Cause(
                kind=cause.kind,
                proved=True,
                sentence=cause.sentence,
                where=_where_node(asked.b, cause.node),
                units=_finite(cause.units),
            )
            for cause in causes
        ]
        if not after.same:
            self._search(replace(asked, b=Whole(model)), after, level)
            self.answer.causes = [*named, *self.answer.causes]
            self.end(DIFFERENT, before.text.removeprefix("other: "))
            return True
        self.answer.causes = named
        self.answer.numbers["after_units"] = after.units
        self.answer.numbers["after_sqnr_db"] = level
        self.end(DIFFERENT, before.text.removeprefix("other: "))
        if self.ask.reproducer is not None:
            whole = replace(asked, values=[])
            search = self._searching(whole)
            place = search.measure(asked.outputs[0][1])
            trials = proofs.Trials(search, twins=asked.twins, wide=[], left=self.left)
            cause = replace(causes[0], repairs=tuple(trained))
            self._write(search, trials, cause, place)
        return True

    def _search(self, asked: question.Question, verdict: Verdict | None, level: float) -> None:
        self.say("where? values of A")
        search = self._searching(asked)
        wrong = search.all()
        if search.dropped:
            shown = ", ".join(quoted(name) for name in search.dropped[:3])
            self.answer.notes.append(
                f"{len(search.dropped)} pairs of nodes give other values on purpose, as folds do ({shown})"
            )
        unknown = [each for each in search.places.values() if each.problem]
        if unknown:
            self.answer.notes.append(
                f"{len(unknown)} parts of B could not be run by themselves, for example that of {quoted(unknown[0].b)}: {unknown[0].problem}"
            )
        is_reduced = any(each.kind != "float" for each in search.places.values())
        if is_reduced and not wrong and self._has_misfits(asked, search):
            return
        if not wrong:
            self._no_place(search, verdict, level, is_reduced=is_reduced)
            return
        if (
            is_reduced
            and all(each.kind != "float" for each in wrong)
            and self._is_enough(search, level)
        ):
            if all(each.kind == "int8" for each in wrong) and self._is_shown(
                asked, search, wrong, SHOWN_DB
            ):
                return
            self.answer.notes.append(
                f"the part that gives {quoted(wrong[0].b)} stands out with {wrong[0].sqnr_db:.0f} dB, and the outputs do not show it"
            )
            self._sound_reduced(search, level)
            return
        self._name(asked, search, wrong, verdict)

    def _is_enough(self, search: places.Search, level: float) -> bool:
        kinds = {each.kind for each in search.places.values()} - {"float"}
        need = max((places.FLOOR_DB[kind] for kind in kinds), default=0.0)
        return level > need

    def _has_misfits(self, asked: question.Question, search: places.Search) -> bool:
        """Ends the search where integers do not stand for A's weights and the outputs show it."""
        misfits = proofs.Trials(search, twins=asked.twins, wide=[], left=self.left).misfits()
        return bool(misfits) and self._is_shown(asked, search, misfits, proofs.SHARE_DB)

    def _is_shown(
        self,
        asked: question.Question,
        search: places.Search,
        wrong: list[places.Place],
        need: float,
    ) -> bool:
        """Ends the search where what is wrong there costs the outputs so many dB."""
        before = replace(self.answer)
        before.notes = list(self.answer.notes)
        before.numbers = dict(self.answer.numbers)
        level = float(before.numbers.get("sqnr_db") or -math.inf)
        self._name(asked, search, wrong, None)
        gained = self.answer.numbers.get("after_sqnr_db") or -math.inf
        if any(cause.proved for cause in self.answer.causes) and gained >= level + need:
            return True
        for name, value in vars(before).items():
            setattr(self.answer, name, value)
        return False

    def _sound_reduced(self, search: places.Search, level: float) -> None:
        kinds = sorted({each.kind for each in search.places.values()} - {"float"})
        self.end(
            ROUNDING,
            f"every part of B rounds as {' and '.join(kinds)} does, and none stands out: the outputs are {level:.0f} dB above the difference",
        )
        if "int8" in kinds and self.ask.b is not None:
            self._levels_of(self.ask.b, search.feeds_b, theirs=True)

    def _no_place(
        self,
        search: places.Search,
        verdict: Verdict | None,
        level: float,
        *,
        is_reduced: bool,
    ) -> None:
        measured = [each for each in search.places.values() if not each.problem]
        ends = {other for _, other in search.ends}
        lists = [name for name in search.b.outputs if name not in ends and name in search.b.writers]
        if lists and verdict is not None and places.decides(verdict):
            text = verdict.text.removeprefix("other: ")
            self.end(
                DIFFERENT,
                f"{text}; what gives {quoted(lists[0])}, which is no tensor, was not searched",
            )
        elif is_reduced:
            self._sound_reduced(search, level)
        elif not measured or len(measured) < len(search.places):
            self.end(UNDECIDED, "the outputs differ, and not every part of B could be measured")
        elif verdict is not None and verdict.reason in ("undecided", "empty"):
            self.end(UNDECIDED, verdict.text.removeprefix("undecided: "))
        elif verdict is None or verdict.units < ADDS_UP:
            worst = max((each.units for each in measured if not math.isnan(each.units)), default=0)
            total = (
                "" if verdict is None else f" the outputs are {verdict.units:.3g} units off, and"
            )
            self.end(
                ROUNDING,
                f"{total.strip() + ' ' if total else ''}no part of B adds more than "
                f"{worst:.2g} units of A's own error there, of which 4 are allowed",
            )
        else:
            self.end(
                UNDECIDED,
                f"the outputs are {verdict.units:.3g} units off, and no part of B adds more than its rounding: "
                "the model makes small differences large",
            )

    def _name(
        self,
        asked: question.Question,
        search: places.Search,
        wrong: list[places.Place],
        verdict: Verdict | None,
    ) -> None:
        self._headline(search, wrong[0], verdict)
        first = wrong[0]
        trials = proofs.Trials(
            search,
            twins=asked.twins,
            wide=self._wide(asked, wrong),
            left=self.left,
        )
        found: list[proofs.Cause] = []
        smallest_of: tuple[proofs.Cause, places.Place] | None = None
        self.answer.causes = [
            Cause(
                kind="",
                proved=False,
                sentence="The cause was not looked for yet",
                where=self._where(
                    search, first, proofs.rarest(first.part_b.nodes, first.part_a.nodes)
                ),
            )
        ]
        named: list[Cause] = []
        for place in wrong[:PLACES]:
            if named and not self.left():
                break
            if place.b not in search.cut or (
                place is not search.places[place.b] and not search.is_wrong(search.places[place.b])
            ):
                continue  # a part that was found to be one with an earlier one
            self.say(f"what? {place.b}")
            if self._is_explained(trials, search.places[place.b], found):
                continue
            for cause in trials.of(search.places[place.b]):
                if any((cause.kind, cause.node) == (each.kind, each.node) for each in found):
                    continue
                found.append(cause)
                if smallest_of is None or (cause.proved and not smallest_of[0].proved):
                    smallest_of = (cause, cause.place or place)
                named.append(
                    Cause(
                        kind=cause.kind,
                        proved=cause.proved,
                        sentence=cause.sentence,
                        where=self._where(search, cause.place or place, cause.node),
                        units=_finite(cause.units),
                        sqnr_db=_finite(cause.sqnr_db),
                    )
                )
            self.answer.causes = _sorted(named)
        if len(wrong) > PLACES:
            self.answer.notes.append(f"{len(wrong) - PLACES} more parts add error")
        if smallest_of is not None:
            self._headline(search, smallest_of[1], verdict)
        self._after(asked, found)
        if asked.drawn and all(place.kind == "int8" for place in wrong):
            self.answer.causes = [replace(cause, proved=False) for cause in self.answer.causes]
            self.end(
                UNDECIDED,
                "a quantized model is right for numbers like those that it was calibrated with, and drawn ones are "
                "others: give the inputs of your program (--feeds)",
            )
        if self.ask.reproducer is not None and smallest_of is not None:
            cause, place = smallest_of
            self._write(search, trials, cause, place)

    def _write(
        self,
        search: places.Search,
        trials: proofs.Trials,
        cause: proofs.Cause,
        place: places.Place,
    ) -> None:
        assert self.ask.reproducer is not None
        self.say("a reproducer")
        try:
            self.answer.notes += write(
                self.ask.reproducer, search, trials, cause=cause, place=place
            )
        except OSError as problem:
            self.answer.notes.append(
                f"the reproducer cannot be written to {self.ask.reproducer}: {problem.strerror or problem}"
            )
            return
        self.answer.reproducer = str(self.ask.reproducer)

    def _headline(
        self, search: places.Search, place: places.Place, verdict: Verdict | None
    ) -> None:
        if place.kind == "float":
            added = f"{place.units:.3g} units" if math.isfinite(place.units) else "NaN or infinity"
            if not places.has_units(place):
                added = f"an error {place.sqnr_db:.0f} dB below its numbers"
        else:
            level = f"{place.sqnr_db:.0f} dB" if math.isfinite(place.sqnr_db) else "NaN or infinity"
            added = f"{level}, where parts like it have {search.expected_db(place):.0f} dB,"
        text = f"the part of B that gives {quoted(place.b)} adds {added} by itself, on A's values"
        if place.kind != "float":
            text = text.replace(" adds ", " gives ")
        elif verdict is not None and places.decides(verdict):
            text = f"{verdict.text.removeprefix('other: ')}; {text}"
        self.end(DIFFERENT, text)

    def _is_explained(
        self, trials: proofs.Trials, place: places.Place, found: list[proofs.Cause]
    ) -> bool:
        """Does what was proved elsewhere heal this place as well? One weight may serve many."""
        proved = [repair for cause in found if cause.proved for repair in cause.repairs]
        if not proved:
            return False
        after = trials.after(place, proved)
        return after is not None and trials.is_sound(after)

    def _after(self, asked: question.Question, found: list[proofs.Cause]) -> None:
        """The whole model with every proved cause repaired."""
        proved = [cause for cause in found if cause.proved and cause.repairs]
        if not proved or not self.left():
            return
        names_a = [one for one, _ in asked.outputs]
        names_b = [other for _, other in asked.outputs]
        try:
            model = proofs.whole_after(asked.b, proved)
            mine = runs.run(runs.with_outputs(asked.a.proto, names_a), asked.feeds_a)
            theirs = runs.run(runs.with_outputs(model, names_b), asked.feeds_b)
            exact = runs.exact(runs.with_outputs(asked.a.proto, names_a), asked.feeds_a)
        except Exception:  # a number that is told where there is one  # noqa: BLE001
            return
        like = [
            [places._like(o, m) for o, m in zip(o_run, m_run, strict=True)]
            for o_run, m_run in zip(theirs, mine, strict=True)
        ]
        verdict = judge(like, mine, exact)
        self.answer.numbers["after_units"] = verdict.units
        self.answer.numbers["after_sqnr_db"] = levels.Measure.level(mine, like)
        if verdict.same:  # nothing is left to explain, so the other places are pairs that were none
            self.answer.causes = [cause for cause in self.answer.causes if cause.proved]

    def _searching(self, asked: question.Question) -> places.Search:
        ends = asked.outputs
        a = asked.a
        b = asked.b
        ends = [(one, other) for one, other in ends if one in a.writers and other in b.writers]
        pairs = [
            (one, other) for one, other in asked.values if one in a.writers and other in b.writers
        ]
        values_a = self._values(a, asked.feeds_a)
        ends = [(one, other) for one, other in ends if one in values_a[0]]  # no sequences
        types_b = dict(b.types)
        if self.ask.careful:
            fit = pairs
            for one, other in pairs:
                if one in values_a[0]:
                    types_b[other] = helper.np_dtype_to_tensor_dtype(values_a[0][one].dtype)
        else:
            values_b = self._values(b, asked.feeds_b)
            for name, value in values_b[0].items():
                types_b[name] = helper.np_dtype_to_tensor_dtype(value.dtype)
            fit = matched(pairs, values_a, values_b, a.places)
        return places.Search(
            a,
            b,
            pairs=fit,
            ends=ends,
            inputs={other: one for one, other in asked.inputs.items()},
            feeds_a=asked.feeds_a[: len(values_a)],
            feeds_b=asked.feeds_b[: len(values_a)],
            values_a=values_a,
            types_b=types_b,
            say=lambda name: self.say(f"where? {name}"),
        )

    def _values(self, model: Whole, feeds: list[Feeds]) -> list[values.Values]:
        """Every tensor that the model computes, for each of the feeds."""
        folder = self.ask.folder or Path(tempfile.gettempdir())
        return [values.of(model, each, MOST_BYTES // len(feeds), folder) for each in feeds]

    def _wide(
        self, asked: question.Question, wrong: list[places.Place]
    ) -> Sequence[Mapping[str, np.ndarray]]:
        """B's values as float32 computes them, where it has float16."""
        if all(place.kind != "float16" for place in wrong):
            return []
        feeds = [
            {
                name: value.astype(np.float32) if value.dtype == np.float16 else value
                for name, value in each.items()
            }
            for each in asked.feeds_b
        ]
        try:
            return self._values(Whole(reduced.as_float32(asked.b.proto)), feeds)
        except Exception:  # ONNX Runtime's exceptions have no common type  # noqa: BLE001
            return []

    def _where(self, search: places.Search, place: places.Place, output: str) -> Where:
        node = search.b.writers.get(output)
        nodes = [next(filter(None, each.output), "") for each in place.part_b.nodes]
        if (
            node is not None and output not in nodes
        ):  # what is wrong lies before the part that shows it
            found = _where_node(search.b, output)
            assert found is not None
            return replace(found, a_value=search.cut.get(output, ""))
        return Where(
            node=plain((node.name if node is not None else "") or output),
            operator=plain(node.op_type) if node is not None else "",
            output=output,
            region=tuple(nodes),
            a_value=place.a,
            b_value=place.b,
            given=tuple(place.part_b.inputs),
        )

    # One model.

    def _one(self) -> None:
        model = self.ask.a
        self.say("the same question? two runs")
        whole = Whole(model)
        notes: list[str] = []
        if self.ask.feeds is None:
            asked = question.ask(
                model,
                model,
                None,
                self.ask.seed,
                runs=self.ask.runs,
                sizes=self.ask.sizes,
                ranges=self.ask.ranges,
            )
            feeds = asked.feeds_a
            self.answer.inputs = _inputs(asked)
        else:
            feeds = question.given_feeds(self.ask.feeds, whole, notes)
            self.answer.inputs = f"{len(feeds)} given"
        self.answer.notes += notes
        if blamed := drawing(model, feeds[:1]):
            node = blamed[0]
            kind = "training-mode" if node is not None and node.op_type == "Dropout" else "inputs"
            self.answer.causes = [
                Cause(
                    kind=kind,
                    proved=True,
                    sentence="Two runs on the same inputs give other numbers"
                    + (f", because {node.op_type} draws random ones" if node is not None else ""),
                    where=None if node is None else _where_node(whole, node.output[0]),
                )
            ]
            if kind == "training-mode":
                self.end(DIFFERENT, "the model is random: export it again after `model.eval()`")
            else:
                self.end(UNDECIDED, "the model is random")
            return
        if self.ask.expected is not None and self._expected(whole, feeds):
            return
        if self._levels_of(model, feeds, theirs=False):
            return
        self._as_declared(whole, feeds)

    def _as_declared(self, whole: Whole, feeds: list[Feeds]) -> None:
        """A file of lower precision beside itself without the rounding."""
        model = whole.proto
        has_few = any(node.op_type == "QuantizeLinear" for node in model.graph.node)
        if halves.concerns(model) and not has_few:
            wide = reduced.as_float32(model)
        elif has_few:
            wide = reduced.as_float(model)
        else:
            return
        self.say("rounding? in the arithmetic that the file declares")
        given = self.ask.feeds
        self.ask.feeds = [
            {
                name: value.astype(np.float32) if value.dtype == np.float16 else value
                for name, value in each.items()
            }
            for each in feeds
        ]
        self._two(wide, model)
        self.ask.feeds = given
        self.answer.notes = [
            "A is the file without the rounding that it declares, B the file as it declares it",
            *(note for note in self.answer.notes if "no run in float64 as a whole" not in note),
        ]

    def _levels_of(self, model: ModelProto, feeds: list[Feeds], *, theirs: bool) -> bool:
        """The model at each level of a session. Ends the search for one model; for two it is a note."""
        self.say("rounding? sessions at each level")
        base = levels.outputs(model, feeds, "DISABLE_ALL")
        exact = None
        wanted = None
        try:
            exact = runs.exact(model, feeds)
        except Exception:  # then in dB  # noqa: BLE001
            if any(node.op_type == "QuantizeLinear" for node in model.graph.node):
                try:
                    wanted = levels.outputs(reduced.as_float(model), feeds, "DISABLE_ALL")
                except Exception:  # a file that cannot be undone  # noqa: BLE001
                    wanted = None
        measure = levels.Measure(base=base, exact=exact, wanted=wanted)
        try:
            fault = levels.fault(
                model,
                feeds,
                measure,
                lambda level: self.say(f"rounding? the session at {level}"),
                self.left,
            )
        except Exception as problem:  # a session that does not start is a finding  # noqa: BLE001
            text = f"the session does not start at this level: {first_line(problem)}"
            if theirs:
                self.answer.notes.append(f"B at a level above: {text}")
                return False
            self.answer.causes = [Cause(kind="optimization", proved=False, sentence=text)]
            self.end(DIFFERENT, text)
            return True
        if fault is None:
            if wanted is not None and (text := levels.on_avx2(model, feeds, measure)):
                self.answer.notes.append(text)
            if not theirs:
                self.end(
                    ROUNDING,
                    "the session gives the same function at every level"
                    + ("" if exact is None else ", within four units of its own float32 error"),
                )
            return False
        who = f"`{fault.names[0]}`" if fault.names else "an optimization"
        others = (
            f" ({', '.join(f'`{name}`' for name in fault.names[1:4])} heals it as well)"
            if len(fault.names) > 1
            else ""
        )
        if theirs:
            self.answer.notes.append(
                f"{fault.text} for B: {who} does that, ask `course why B` about it"
            )
            return False
        kind = "saturation" if fault.saturates else "optimization"
        sentence = f"Without {who} the session at {fault.level} computes what the one without optimization does{others}"
        if fault.saturates:
            sentence = f"Products of 8 bits saturate on this processor: {sentence[0].lower()}{sentence[1:]}"
        if not fault.names:
            sentence = "No single optimizer that was left out heals it"
        self.answer.causes = [Cause(kind=kind, proved=bool(fault.names), sentence=sentence)]
        self.answer.numbers["sqnr_db"] = fault.sqnr_db
        if fault.verdict is not None:
            self.answer.numbers["units"] = fault.verdict.units
        self.end(DIFFERENT, fault.text)
        self._where_of_level(model, feeds, fault, measure)
        return True

    def _where_of_level(
        self, model: ModelProto, feeds: list[Feeds], fault: levels.Fault, measure: levels.Measure
    ) -> None:
        from formatlab.why.smallest import smallest

        self.say("where? fewer nodes")
        found = smallest(model, feeds, fault.level, measure, self.left)
        if found is None:
            return
        nodes = found.nodes
        output = found.output
        cause = self.answer.causes[0]
        self.answer.causes[0] = Cause(
            kind=cause.kind,
            proved=cause.proved,
            sentence=cause.sentence,
            where=Where(
                node=plain(output.name or output.output[0]),
                operator=plain(output.op_type),
                output=output.output[0],
                region=tuple(node.output[0] for node in nodes),
                b_value=output.output[0],
            ),
        )
        if self.ask.reproducer is not None:
            from formatlab.why.reproducer import write_level

            write_level(self.ask.reproducer, found.model, found.feeds, fault.level)
            self.answer.reproducer = str(self.ask.reproducer)

    def _expected_of_integers(
        self, whole: Whole, feeds: list[Feeds], expected: list[Feeds]
    ) -> bool:
        """Of a file of 8 bits, which has no run in float64: does this processor give what the program got,
        or one whose products of 8 bits saturate? Ends the search in that case.
        """
        names = list(expected[0])
        wide = runs.with_outputs(whole.proto, names)
        theirs = [[each[name] for name in names] for each in expected]
        here = max(
            levels.Measure.level(theirs, levels.outputs(wide, feeds, level))
            for level in ("DISABLE_ALL", "ENABLE_ALL")
        )
        try:
            there = levels.Measure.level(theirs, saturation.on_avx2(wide, feeds))
        except Exception:  # an operator that cannot be written out  # noqa: BLE001
            there = -math.inf
        if here < SAME_DB and there >= max(SAME_DB, here + places.GAIN_DB):
            self.answer.causes = [
                Cause(
                    kind="saturation",
                    proved=True,
                    sentence="Your program ran on an x86 processor without VNNI, where products of 8 bits saturate: "
                    f"computed so, the file gives its numbers to {_decibels(there)}, and with exact products to {here:.0f} dB",
                    sqnr_db=_finite((here, there)),
                )
            ]
            self.end(
                DIFFERENT,
                "the file is not to blame: weights of 7 bits avoid it, or the session entry "
                f"{saturation.PRECISELY[0]}={saturation.PRECISELY[1]}",
            )
            return True
        if here >= SAME_DB:
            self.answer.notes.append(f"the file gives what your program got: {_decibels(here)}")
            return False
        for way in program.ways(feeds):
            if not self.left():
                break
            try:
                found = levels.outputs(wide, [way.change(each) for each in feeds], "DISABLE_ALL")
            except Exception:  # of sizes that do not fit  # noqa: BLE001
                continue
            level = levels.Measure.level(theirs, found)
            if level >= here + places.GAIN_DB:
                self._name_another_input(
                    way.text,
                    f"gives your program's outputs to {_decibels(level)}, and without it to {here:.0f} dB",
                )
                return True
        if here >= places.FLOOR_DB["int8"]:
            self.answer.notes.append(
                f"your program's outputs are {here:.0f} dB above their difference to the file's, as those of a float model may "
                "be: ask about the float model and this file"
            )
            return False
        self.answer.causes = [Cause(kind="", proved=False, sentence=NO_WAY)]
        self.end(
            DIFFERENT,
            f"the file gives other outputs than your program, {here:.0f} dB above the difference",
        )
        return True

    def _name_another_input(self, text: str, so: str) -> None:
        """Ends the search with what the program does to its inputs or outputs."""
        self.answer.causes = [
            Cause(
                kind="layout" if "axes" in text or "channels" in text else "inputs",
                proved=True,
                sentence=f"{text[:1].upper()}{text[1:]}: with that done here as well, the file {so}",
            )
        ]
        self.end(
            DIFFERENT,
            "the file is not to blame: your program feeds it other inputs, or reads its outputs in another way",
        )

    def _expected(self, whole: Whole, feeds: list[Feeds]) -> bool:
        """Hold what the user's program got against the file. Ends the search where they differ."""
        self.say("the same question? what your program got")
        expected = program.load(self.ask.expected, whole, len(feeds))
        if any(node.op_type == "DequantizeLinear" for node in whole.proto.graph.node):
            return self._expected_of_integers(whole, feeds, expected)
        found = program.explain(whole, feeds, expected, self.left)
        if found.verdict is not None:
            self.answer.numbers["units"] = found.verdict.units
        if found.same and found.verdict is not None:
            reason = found.verdict.text.removeprefix("same: ")
            self.answer.notes.append(f"the file gives what your program got: {reason}")
            return False
        if found.ways:
            text = ", and ".join(found.ways)
            self._name_another_input(text, "gives your program's outputs to within four units")
            return True
        if trained := in_training(whole):
            model = ModelProto.FromString(whole.proto.SerializeToString())
            for repair in trained:
                repair.edit(model)
            after = program.held(Whole(model), feeds, expected)
            if after is not None and after.same:
                self.answer.causes = [
                    Cause(
                        kind=repair.kind,
                        proved=True,
                        sentence=f"{repair.text[:1].upper()}{repair.text[1:]}: in evaluation mode, the file gives "
                        f"your program's outputs to {after.units:.2g} units",
                        where=_where_node(whole, repair.node),
                    )
                    for repair in trained
                ]
                self.end(
                    DIFFERENT, "the file is in training mode: export it again after `model.eval()`"
                )
                return True
        if found.verdict is None or found.verdict.reason in ("undecided", "empty"):
            why = "the model has no run in float64" if found.verdict is None else found.verdict.text
            self.end(
                UNDECIDED,
                f"what your program got was not judged: {why.removeprefix('undecided: ')}",
            )
            return False
        self.answer.causes = [
            Cause(
                kind="training-mode",
                proved=False,
                sentence=f"Likely: {repair.text}. Export it again after `model.eval()`, since the mean and "
                "variance change while it is in training mode",
                where=_where_node(whole, repair.node),
            )
            for repair in trained
        ] or [
            Cause(
                kind="",
                proved=False,
                sentence=NO_WAY,
            )
        ]
        self.end(
            DIFFERENT,
            f"the file gives other outputs than your program: {found.verdict.text.removeprefix('other: ')}",
        )
        return True


def _decibels(level: float) -> str:
    return "the bit" if level == math.inf else f"{level:.0f} dB"


def _finite(pair: tuple[float, float]) -> tuple[float | None, float | None]:
    before, after = pair
    return answers.finite(before), answers.finite(after)


def _sorted(found: list[Cause]) -> list[Cause]:
    """In B's order, as they come, proved ones before guesses."""
    return sorted(found, key=lambda each: not each.proved)


def _inputs(asked: question.Question) -> str:
    shapes = [
        ", ".join(f"{name} {list(value.shape)}" for name, value in each.items())
        for each in asked.feeds_a
    ]
    return f"{len(asked.feeds_a)} {'drawn' if asked.drawn else 'given'}: {'; '.join(shapes)}"


def _random_node(whole: Whole) -> NodeProto | None:
    return next(iter(suspects(whole.proto)), None)


def _where_node(whole: Whole, output: str) -> Where | None:
    node = whole.writers.get(output)
    if node is None:
        return None
    return Where(
        node=plain(node.name or output),
        operator=plain(node.op_type),
        output=output,
        region=(output,),
        b_value=output,
        given=tuple(name for name in reads(node) if name not in whole.stored),
    )


__all__ = ["Ask", "Steps"]
