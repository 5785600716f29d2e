"""What students get wrong in `cache`. `decoding` replays those that show in the tokens; the others a
rung recognises by itself.
"""

from __future__ import annotations

from nbjudge.findings import Misconception, Section

PAGE = "day-50/09-a-decoder"
STEP = Section(f"{PAGE}#one-step-with-its-cache")
LOOP = Section(f"{PAGE}#the-loop")
WRONG = Section(f"{PAGE}#caches-that-are-wrong-and-run")


class Mistakes:
    """Those that a rung recognises by itself."""

    # Wiring.
    other_inputs = STEP.mistake("""Only the caches go round. The token ids, the positions and the mask
        are made anew for every call, so they belong to no output.""")
    backwards = STEP.mistake("""The dict leads from an input to the output that continues it, because
        that is the direction in which you look it up before the next call.""")
    caches_missing = STEP.mistake("""Every input whose name begins with past needs its output,
        whatever stands behind that word.""")
    paired_by_place = STEP.mistake("""The two lists have no common order, so the first cache input
        need not belong to the first output behind the logits. Take what stands behind the first word
        of the name.""")
    wrong_pairs = STEP.mistake("""Compare what stands behind the first word of each name: the layer,
        and whether it is the keys or the values. Both have to be the same on either side.""")

    # What goes in.
    other_shape = LOOP.mistake("""position_ids has a row for each row of input_ids, and a column for each
        token of this call. attention_mask has a column for each token of the cache, too.""")
    other_cache = LOOP.mistake("""An empty cache has the shape of its own input: the rows of the prompt
        where this says batch, 0 where it has another word, and its numbers as they are.""")
    other_type = LOOP.mistake("""The empty cache has the type of its input: tensor(float) is float32, and
        tensor(float16) is float16. np.zeros makes float64 unless you name a type.""")
    many_at_once = LOOP.mistake("""Where the second dimension of input_ids is 1, the file takes one token
        of each row in a call. A loop that feeds everything again cannot use such a file.""")

    # The array.
    prompt_returned = LOOP.mistake("""The array holds the new tokens alone. The caller has the prompt
        already.""")
    number_of_steps = LOOP.mistake("""Each step gives one token. The call that reads the prompt gives
        the first of them, so steps - 1 more calls are needed.""")
    other_axes = LOOP.mistake("""A row of the result continues the row of the prompt that has the same
        place, whatever the number of rows.""")
    no_tokens = LOOP.mistake("""A token id is the place of a logit: it is 0 or more, and smaller than
        the last dimension of the logits.""")

    # How much was fed.
    fed_again = WRONG.mistake("""The cache holds what the earlier tokens left behind, so the next call
        needs the newest token alone. Feeding everything again costs more with every token.""")


class Replayed:
    """Those that are recognised by the tokens that come out."""

    cache_forgotten = WRONG.mistake("""Every call began with an empty cache, so each token was chosen
        by its own call alone. Pass on what the call before returned.""")
    first_cache_kept = WRONG.mistake("""The cache of the first call went into every later one. Replace
        it after each call: its outputs are longer by what the call read.""")
    keys_for_values = WRONG.mistake("""Keys and values changed places on their way. They have the same
        shape, so no runtime notices it; only the name says which is which.""")
    in_order_of_outputs = WRONG.mistake("""The caches were passed on in the order of the outputs, which
        is not that of the inputs in this file. Look each one up by its name.""")
    layers_shifted = WRONG.mistake("""Each layer got the cache of another layer. All layers have the
        same shapes, so no runtime notices it; look at the number in the name.""")
    positions_restart = LOOP.mistake("""The positions began at 0 in every call. They count on: a
        call's first token has as its position the number of tokens that the cache holds.""")
    positions_late = LOOP.mistake("""Every position is too large by one. The first token of the prompt
        has the position 0.""")
    first_row_for_all = LOOP.mistake("""Every row was continued with the token of the first row. Take
        the largest logit of each row: argmax over the last axis.""")
    first_position = LOOP.mistake("""The logits behind the first token of the call were read. What
        comes next stands behind the last one: logits[:, -1].""")
    all_tokens_again = LOOP.mistake("""The whole text went in again beside a cache that held it
        already, so the model saw everything twice. Feed the newest token alone.""")
    last_token_again = LOOP.mistake("""The last token of the prompt was fed twice. The call that reads
        the prompt already gives the logits for the first new token.""")
    first_token_lost = LOOP.mistake("""The first token is missing and there is one too many at the
        end. The call that reads the prompt already gives the first new token.""")


# Under the names that `decoding.MISTAKES` gives them.
BY_NAME = {name: one for name, one in vars(Replayed).items() if isinstance(one, Misconception)}
BY_NAME["cache_and_positions_forgotten"] = Replayed.cache_forgotten
