# SPDX-License-Identifier: MIT
"""Wrong arguments of native functions, said in the words of this module."""

from __future__ import annotations

import functools
import re
from typing import Any, Callable

from ._heddle import Image, Sampler

_SIGNATURE = re.compile(r"1\. \((?:self: [^,)]*(?:, )?)?(.*)\)(?: -> .*)?$", re.MULTILINE)


def check_image(image: Any, name: str) -> None:
    if not isinstance(image, Image):
        raise TypeError(f"{name}() takes a heddle.Image first, not {_kind(image)}")


def sampler_of(given: Any, name: str) -> Sampler:
    """A sampler, or one made of its words."""
    if isinstance(given, str):
        return Sampler(given)
    if not isinstance(given, Sampler):
        raise TypeError(f"{name}() takes a heddle.Sampler, or its words, behind the image, not {_kind(given)}")
    return given


def _kind(value: Any) -> str:
    return type(value).__name__


def plain(function: Callable[..., Any], name: str, method: bool = False) -> Callable[..., Any]:
    """The function, whose TypeError says what it takes and what it got."""

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        try:
            return function(*args, **named)
        except TypeError as problem:
            text = str(problem)
            if "incompatible function arguments" not in text:
                raise
            found = _SIGNATURE.search(text)
            given = [_kind(value) for value in args[method:]] + [f"{key}={_kind(value)}" for key, value in named.items()]
            takes = found.group(1).replace("heddle._heddle.", "heddle.") if found else "other arguments"
            message = f"{name}() takes ({takes}), not ({', '.join(given)})"
        raise TypeError(message)

    return call


def plain_methods(kind: type) -> None:
    """The same of all methods of a native class."""
    for name, member in list(vars(kind).items()):
        if type(member).__name__ == "instancemethod" and not name.startswith("_"):
            setattr(kind, name, plain(member, f"{kind.__name__}.{name}", True))
