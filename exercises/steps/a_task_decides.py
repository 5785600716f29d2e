"""The steps of notebook 04c: a search by vectors, and how far chance moves what it finds."""

import numpy as np

from formatlab.retrieval import pooled
from formatlab_exercises.steps import Slip, Step, Steps


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def padding_too(states, mask):
    return unit(states.mean(axis=1))


def any_length(states, mask):
    return (states * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)


def first_token(states, mask):
    return unit(states[:, 0])


def nearest(queries, documents):
    return (queries @ documents.T).argmax(axis=1)


def nearest_query(queries, documents):
    return (queries @ documents.T).argmax(axis=0)


def farthest(queries, documents):
    return (queries @ documents.T).argmin(axis=1)


def its_cosine(queries, documents):
    return (queries @ documents.T).max(axis=1)


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


def states(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape).round(2)


def mask(length, *lengths):
    return (np.arange(length) < np.array(lengths)[:, None]).astype(np.int64)


def vectors(seed, count):
    return unit(states(seed, count, 5))


def answers(seed, count, share):
    return np.random.default_rng(seed).random(count) < share


def places(count):
    return np.random.default_rng(9).integers(count, size=(300, count))


step = Steps(
    "lab-7-01/04c-a-task-decides",
    pooled=Step(
        "baseline",
        pooled,
        {
            "two texts, one padded": lambda: (states(0, 2, 4, 3), mask(4, 4, 2)),
            "three texts": lambda: (states(1, 3, 5, 2), mask(5, 1, 5, 3)),
        },
        (
            Slip(padding_too, "Padding counts in your mean. Multiply by the mask first."),
            Slip(any_length, "Divide each vector by its length, so that it has length 1."),
            Slip(first_token, "That is the first token. Take the mean over all kept tokens."),
        ),
    ),
    nearest=Step(
        "baseline",
        nearest,
        {
            "three queries, four documents": lambda: (vectors(2, 3), vectors(3, 4)),
            "five queries, two documents": lambda: (vectors(4, 5), vectors(5, 2)),
        },
        (
            Slip(nearest_query, "That is the nearest query of each document. Search along rows."),
            Slip(farthest, "The largest cosine is the nearest, and not the smallest."),
            Slip(its_cosine, "That is the cosine itself. The document's number is asked for."),
        ),
    ),
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
