"""The steps of notebook 04c: how far chance moves what a task finds."""

import numpy as np

from formatlab_exercises.steps import Slip, Step, Steps


def wilson(hit, z=1.96):
    n, p = len(hit), hit.mean()
    half = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    middle = p + z**2 / (2 * n)
    return (middle - half) / (1 + z**2 / n), (middle + half) / (1 + z**2 / n)


def around_the_share(hit, z=1.96):
    n, p = len(hit), hit.mean()
    half = z * np.sqrt(p * (1 - p) / n)
    return p - half, p + half


def not_divided(hit, z=1.96):
    low, high = wilson(hit, z)
    return low * (1 + z**2 / len(hit)), high * (1 + z**2 / len(hit))


def without_z(hit, z=1.96):
    return wilson(hit, 1)


def changed(hit, base):
    return (base & ~hit).sum(), (hit & ~base).sum()


def other_order(hit, base):
    return (hit & ~base).sum(), (base & ~hit).sum()


def counts_of_misses(hit, base):
    return (~hit).sum(), (~base).sum()


def net(hit, base):
    change = int(hit.sum()) - int(base.sum())
    return max(-change, 0), max(change, 0)


def difference(hit, base, places):
    pairs = hit.astype(float) - base
    drawn = pairs[places].mean(axis=1)
    return pairs.mean(), *np.quantile(drawn, [0.025, 0.975])


def not_in_pairs(hit, base, places):
    drawn = hit[places].mean(axis=1) - base[places[::-1]].mean(axis=1)
    return hit.mean() - base.mean(), *np.quantile(drawn, [0.025, 0.975])


def nine_of_ten(hit, base, places):
    pairs = hit.astype(float) - base
    return pairs.mean(), *np.quantile(pairs[places].mean(axis=1), [0.05, 0.95])


def of_single_pairs(hit, base, places):
    pairs = hit.astype(float) - base
    return pairs.mean(), *np.quantile(pairs[places], [0.025, 0.975])


def answers(seed, count, share):
    return np.random.default_rng(seed).random(count) < share


def places(count):
    return np.random.default_rng(9).integers(count, size=(300, count))


step = Steps(
    "lab-7-01/04c-a-task-decides",
    wilson=Step(
        "how-far-chance-goes",
        wilson,
        {
            "a third of thirty": lambda: (np.arange(30) % 3 == 0,),
            "all of eight": lambda: (np.ones(8, bool),),
            "another z": lambda: (np.arange(30) % 3 == 0, 2.58),
        },
        (
            Slip(
                around_the_share,
                "That is p ± z·√(p(1 - p)/n). Where p is 1 it says that chance does nothing.",
            ),
            Slip(not_divided, "Divide both ends by 1 + z²/n."),
            Slip(
                lambda hit, z=1.96: wilson(hit),
                "Use `z`, which the caller may pass: 1.96 is its default.",
            ),
            Slip(without_z, "For an interval of 95 % z is 1.96."),
        ),
    ),
    changed=Step(
        "the-same-queries",
        changed,
        {
            "a dozen": lambda: (answers(6, 12, 0.6), answers(7, 12, 0.5)),
            "as many right": lambda: (np.array([True, True, False]), np.array([False, True, True])),
        },
        (
            Slip(other_order, "First those that only float32 finds: they are lost."),
            Slip(counts_of_misses, "A query that both miss has not changed. Compare the pairs."),
            Slip(net, "Lost and gained queries cancel there. Count each kind."),
        ),
    ),
    difference=Step(
        "the-same-queries",
        difference,
        {
            "forty queries": lambda: (answers(8, 40, 0.6), answers(9, 40, 0.7), places(40)),
            "a tenth changed": lambda: (np.arange(50) % 10 > 0, np.ones(50, bool), places(50)),
        },
        (
            Slip(not_in_pairs, "Draw pairs: one place draws both models' answers to a query."),
            Slip(nine_of_ten, "The middle 95 % leaves 2.5 % out on each side."),
            Slip(of_single_pairs, "Take the mean of each draw before you take the quantiles."),
        ),
    ),
)
