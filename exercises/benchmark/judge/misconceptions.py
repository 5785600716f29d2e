"""What students get wrong in `benchmark`, each with a stored answer that shows it. `findings` and
`rungs` recognise them.
"""

from __future__ import annotations

from autograder.findings import misconception


@misconception("lab-7-01/02-honest-benchmarks#warm-up")
def busy_wait():
    """A loop waits for something that does not happen: for the clock to reach a time without a
    call, or for two equal times.
    """


@misconception("lab-7-01/02-honest-benchmarks#medians")
def no_refusal():
    """There is nothing to measure, and a caller who gets an answer believes it. Check the arguments
    first.
    """


@misconception("lab-7-01/02-honest-benchmarks#medians")
def other_error():
    """The arguments are not checked before they are used, and a later line fails. Raise ValueError
    first.
    """


@misconception("lab-7-01/02-honest-benchmarks#medians")
def numbers_only():
    """Each variant's entry is a dict with four keys, not a single number or a list."""


@misconception("lab-7-01/02-honest-benchmarks#medians")
def no_count():
    """Each variant's entry has four keys, spelled as here."""


@misconception("lab-7-01/02-honest-benchmarks#medians")
def swapped():
    """p10 is the time below which a tenth of the turns lie."""


@misconception("lab-7-01/02-honest-benchmarks#medians")
def unsorted():
    """A percentile is read from the times in ascending order. Taken from the list as it was
    measured, it is just some turn's time.
    """


@misconception("lab-7-01/02-honest-benchmarks#interleaving")
def never_calls():
    """A variant is a function: `variants[name]` names it, and `variants[name]()` runs it. What is
    returned was not measured.
    """


@misconception("lab-7-01/02-honest-benchmarks#interleaving")
def perf_counter():
    """The times come from somewhere else: `time.perf_counter` shows this computer's time, not that
    of the machine that runs the variants. `clock` is an argument, so call `clock()`.
    """


@misconception("lab-7-01/02-honest-benchmarks#interleaving")
def last_variant():
    """A variant's times are taken from another one."""


@misconception("lab-7-01/02-honest-benchmarks#interleaving")
def clock_once():
    """`clock()` gives the time of that moment. A duration needs two readings."""


@misconception("lab-7-01/02-honest-benchmarks#interleaving")
def loop_total():
    """The time of a whole loop, divided by its length, is a mean: one outlier moves it, and median,
    p10 and p90 are lost. Read the clock around every call.
    """


@misconception("lab-7-01/02-honest-benchmarks#interleaving")
def round_timed():
    """Such a time is that of all of them together. Read the clock before and after each variant's
    own call.
    """


@misconception("lab-7-01/02-honest-benchmarks#warm-up")
def drops_rounds():
    """You throw rounds away as warm-up, so fewer are left than were asked for. Warm up first, then
    do all the rounds.
    """


@misconception("lab-7-01/02-honest-benchmarks#warm-up")
def warm_up_not_told():
    """There were calls before the rounds, but warmup says that there were none. It counts them."""


@misconception("lab-7-01/02-honest-benchmarks#warm-up")
def two_calls():
    """There are calls that are neither in a round nor counted in warmup. In a round each variant is
    called once.
    """


@misconception("lab-7-01/02-honest-benchmarks#interleaving")
def block_sequential():
    """You measure one variant after the other, so whatever slows the machine down meanwhile affects
    only one of them. Swap the two loops: rounds outside, variants inside.
    """


@misconception("lab-7-01/02-honest-benchmarks#interleaving")
def after_the_rounds():
    """The last calls do not make up whole rounds: a variant has two turns in a row somewhere, or is
    called after the rounds.
    """


@misconception("lab-7-01/02-honest-benchmarks#medians")
def warm_up_counted():
    """It is that of all calls, the warm-up among them. What is left out must not be in the list
    that the statistics are taken of.
    """


@misconception("lab-7-01/02-honest-benchmarks#medians")
def mean():
    """It is the mean. A single outlier moves it by as much as many ordinary turns; the median
    stays.
    """


@misconception("lab-7-01/02-honest-benchmarks#medians")
def best_of():
    """It is the best time. It says what the machine can do once, not what a call takes."""


@misconception("lab-7-01/02-honest-benchmarks#medians")
def quartiles():
    """It is a quartile: a quarter of the times lies beyond it, where p10 and p90 leave a tenth."""


@misconception("lab-7-01/02-honest-benchmarks#medians")
def start_once():
    """It is longer than any of the turns: their sum, or the time since a start that is not read
    again before each call.
    """


@misconception("lab-7-01/02-honest-benchmarks#medians")
def unsorted_tail():
    """It is a turn's time, but not the one at that share of the sorted times: sort them, and check
    the share, 0.1 or 0.9.
    """


@misconception("lab-7-01/02-honest-benchmarks#medians")
def bell_curve():
    """A mean and a standard deviation give the percentiles of a bell curve. Times have a long tail:
    use the times themselves.
    """


@misconception("lab-7-01/02-honest-benchmarks#warm-up")
def no_warm_up():
    """No warm-up is left out. The first calls load, compile and fill caches: call each variant
    until its time no longer falls.
    """


@misconception("lab-7-01/02-honest-benchmarks#warm-up")
def fixed_warm_up():
    """Every variant gets the same number of calls, too few for one of them. How many are needed
    differs: go on until the times of one variant no longer fall.
    """


@misconception("lab-7-01/02-honest-benchmarks#warm-up")
def early_stop():
    """The warm-up ended too early: with noise, two single times look alike long before. Compare the
    medians of ten calls or more.
    """


@misconception("lab-7-01/02-honest-benchmarks#warm-up")
def endless_warm_up():
    """Every variant gets the same number of calls. A number that is large enough for every case is
    too large for most: look at the times.
    """


@misconception("lab-7-01/02-honest-benchmarks#medians")
def milliseconds():
    """It is in {unit}. The clock shows seconds, and the result is asked for in seconds."""
