"""Does the first half, and leaves the second a stub."""

EXPECTED = {
    "loses": ["usual-shapes", "names", "no-dimensions", "declarations", "values", "graphs", "tidy"],
    "rung": "exists",
    "shows": "not-done",
}


def conv_output_size(size, kernel, stride=1, padding=(0, 0), dilation=1, ceil_mode=False):
    room = size + sum(padding) - dilation * (kernel - 1) - 1
    steps = -(-room // stride) if ceil_mode else room // stride
    if ceil_mode and steps * stride >= size + padding[0]:
        steps -= 1
    if steps < 0:
        raise ValueError("no window fits")
    return steps + 1


def shape_coverage(model):
    raise NotImplementedError()
