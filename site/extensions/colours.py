"""The colours of code. Pages set them by variables, so that one style serves light and dark."""

from pygments.style import Style


class Light(Style):
    """No colours of its own: theme/course/styles has them."""

    background_color = "transparent"
