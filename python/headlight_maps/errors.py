# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes wrong, in words: what, where, and what to do."""


class HeadlightError(RuntimeError):
    """`where` names the file, argument or part of the model."""

    def __init__(self, where, what):
        super().__init__(f"{where}: {what}")
        self.where = where


class HeadlightWarning(UserWarning):
    """Something was assumed or left out."""
