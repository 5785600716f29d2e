"""What students get wrong in `benchmark`, each with a stored answer that shows it. The rungs
recognise them.
"""

from __future__ import annotations

from nbjudge.findings import Section

WARM_UP = Section("lab-7-01/02-honest-benchmarks#warm-up")
MEDIANS = Section("lab-7-01/02-honest-benchmarks#medians")
INTERLEAVING = Section("lab-7-01/02-honest-benchmarks#interleaving")


class Mistakes:
    """Those that a rung recognises by itself."""

    busy_wait = WARM_UP.mistake("""A loop waits for something that does not happen: for the clock to
        reach a time without a call, or for two equal times.""")
    no_refusal = MEDIANS.mistake("""There is nothing to measure, and a caller who gets an answer
        believes it. Check the arguments first.""")
    other_error = MEDIANS.mistake("""The arguments are not checked before they are used, and a later
        line fails, or the check raises something else. Raise ValueError first.""")
    asserts = MEDIANS.mistake("""A failed assert is an AssertionError, and with python -O it is not
        even that. Write an if, and raise ValueError.""")
    numbers_only = MEDIANS.mistake("""Each variant's entry is a dict with four keys, not a single
        number or a list.""")
    no_count = MEDIANS.mistake("Each variant's entry has four keys, spelled as here.")
    swapped = MEDIANS.mistake("p10 is the time below which a tenth of the turns lie.")
    unsorted = MEDIANS.mistake("""A percentile is read from the times in ascending order. Taken from
        the list as it was measured, it is just some turn's time.""")
    neither = WARM_UP.cause("""A loop around each variant is what timeit does. Call every variant
        until it is warm, then give each one turn in every round.""")
    never_calls = INTERLEAVING.mistake("""A variant is a function: `variants[name]` names it, and
        `variants[name]()` runs it. What is returned was not measured.""")
    perf_counter = INTERLEAVING.mistake("""The times come from somewhere else: `time.perf_counter`
        shows this computer's time, not that of the machine that runs the variants. `clock` is an
        argument, so call `clock()`.""")
    last_variant = INTERLEAVING.mistake("A variant's times are taken from another one.")
    clock_once = INTERLEAVING.mistake("""`clock()` gives the time of that moment. A duration needs
        two readings.""")
    loop_total = INTERLEAVING.mistake("""The time of a whole loop, divided by its length, is a mean:
        one outlier moves it, and median, p10 and p90 are lost. Read the clock around every call.
    """)
    round_timed = INTERLEAVING.mistake("""Such a time is that of all of them together. Read the
        clock before and after each variant's own call.""")
    drops_rounds = WARM_UP.mistake("""You throw rounds away as warm-up, so fewer are left than were
        asked for. Warm up first, then do all the rounds.""")
    warm_up_not_told = WARM_UP.mistake("""There were calls before the rounds, but warmup says that
        there were none. It counts them.""")
    rounds_counted = WARM_UP.mistake("""warmup says how often the variant was called in all. It
        counts the calls before the rounds.""")
    others_counted = WARM_UP.mistake("""warmup is larger than the number of calls that were made
        before the rounds: count calls of this variant only.""")
    two_calls = WARM_UP.mistake("""There are calls that are neither in a round nor counted in
        warmup. In a round each variant is called once.""")
    more_rounds = MEDIANS.mistake("""You did more rounds than were asked for. Few turns say little, but
        that is for the caller to decide, who pays for each: do exactly `rounds`.""")
    block_sequential = INTERLEAVING.mistake("""You measure one variant after the other, so whatever
        slows the machine down meanwhile affects only one of them. Swap the two loops: rounds
        outside, variants inside.""")
    after_the_rounds = INTERLEAVING.mistake("""The last calls do not make up whole rounds: a variant
        has two turns in a row somewhere, or is called after the rounds.""")
    calls_afterwards = INTERLEAVING.mistake("""A variant is called once more after the rounds. What
        counts are its last calls, and this one has no reading behind it.""")
    warm_up_counted = MEDIANS.mistake("""The figure is that of all calls, the warm-up included. What is
        left out must not be in the list that the statistics are taken of.""")
    mean = MEDIANS.mistake("""The figure is the mean. A single outlier moves it by as much as many ordinary
        turns; the median stays.""")
    best_of = MEDIANS.mistake("""The figure is the best time. It says what the machine can do once, not what
        a call takes.""")
    quartiles = MEDIANS.mistake("""The figure is a quartile: a quarter of the times lies beyond it, where
        p10 and p90 leave a tenth.""")
    start_once = MEDIANS.mistake("""The figure is longer than any of the turns: their sum, or the time since
        a start that is not read again before each call.""")
    unsorted_tail = MEDIANS.cause("""The figure is a turn's time, but not the one at that share of the
        sorted times: sort them, and check the share, 0.1 or 0.9.""")
    drops_outliers = MEDIANS.mistake("""The figure is that of the turns without the longest or the shortest.
        A median needs no such rule, and p90 is there to show the long ones: keep every turn.""")
    fractions = MEDIANS.mistake("""The figure is near the smallest of all times: np.percentile takes
        percentages, 10 and not 0.1.""")
    rounded = MEDIANS.mistake("""The figure is rounded to so few decimals that the variants look alike.
        Return the seconds as they are, and round where you print.""")
    relative = MEDIANS.mistake("""The figure is a ratio: 1 for the variant that the others are compared
        with. Return seconds; ratios follow from them.""")
    bell_curve = MEDIANS.mistake("""A mean and a standard deviation give the percentiles of a bell
        curve. Times have a long tail: use the times themselves.""")
    no_warm_up = WARM_UP.mistake("""No warm-up is left out. The first calls load, compile and fill
        caches: call each variant until its time no longer falls.""")
    fixed_warm_up = WARM_UP.mistake("""Every variant gets the same number of calls, too few for one
        of them. How many are needed differs: go on until the times of one variant no longer fall.
    """)
    early_stop = WARM_UP.mistake("""The warm-up ended too early: the times still fell. Noise hides a
        slow fall in single times and in few calls. Compare the medians of ten calls or more, and go
        on until they fall no longer.""")
    endless_warm_up = WARM_UP.mistake("""Every variant gets the same number of calls. A number that
        is large enough for every case is too large for most: look at the times.""")
    milliseconds = MEDIANS.mistake("""The figure is in {unit}. The clock shows seconds, and the result is
        asked for in seconds.""")
