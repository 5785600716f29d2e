"""Times that an instructor types and reads, with their time zone. What is kept is UTC without a
zone, as nbgrader keeps it.

1. A time has a day, an hour and a minute: `2026-11-21 18:00`. A day alone is refused, because it may
   mean its beginning or its end.
2. Its zone is typed behind it, as an offset (`+01:00`, `Z`, `UTC`) or as a place (`Europe/Berlin`).
   Without one, the zone of the class counts: `c.NbGraderAPI.timezone`, which formgrader shows times
   in, and UTC where it is not set, as for nbgrader.
3. Abbreviations are refused: IST is three zones, and CET is no longer CET in July.
4. Of a place, an hour that clocks skip in spring does not exist, and one that they repeat in autumn
   is two times. Both are refused by name, with what to type.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from traitlets.config import Config

from nbjudge import nearest

EXAMPLE = "write it like '2026-11-21 18:00', '2026-11-21 18:00 +01:00' or '2026-11-21 18:00 Europe/Berlin'"
SETTING = "c.NbGraderAPI.timezone"
_TIME = re.compile(
    r"(?P<day>\d{4}-\d{1,2}-\d{1,2})(?:[T\s]+(?P<clock>\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?))?\s*(?P<zone>\S.*)?"
)
_OFFSET = re.compile(r"(?:UTC|GMT)?\s*([+-])(\d{1,2})(?::?(\d{2}))?", re.IGNORECASE)


class ZoneError(ValueError):
    """A time or its zone cannot be read. The text says why, and what to type."""


def of_class(config: Config) -> tzinfo:
    """The zone of the class, by its settings. Raises ZoneError."""
    name = str(config.get("NbGraderAPI", {}).get("timezone") or "UTC")
    if name in available_timezones() and name != "UTC":
        return ZoneInfo(name)
    try:
        return named(name)
    except ZoneError as error:
        raise ZoneError(f"{SETTING} in nbgrader_config.py: {error}") from None


def named(text: str) -> tzinfo:
    """A zone by its offset or its place. Raises ZoneError."""
    if text.upper() in ("UTC", "GMT", "Z"):
        return UTC
    if offset := _OFFSET.fullmatch(text):
        length = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
        if length > timedelta(hours=14) or int(offset[3] or 0) > 59:
            raise ZoneError(f"{text!r} is no offset from UTC: no clock is more than 14 hours away")
        return (
            datetime.strptime(f"{offset[1]}{offset[2]:0>2}{offset[3] or '00'}", "%z").tzinfo or UTC
        )
    place = _places().get(text.casefold())
    if place is None:
        raise ZoneError(_no_zone(text))
    try:
        return ZoneInfo(place)
    except (ZoneInfoNotFoundError, OSError, ValueError) as error:
        raise ZoneError(
            f"this machine does not know the zone {place} ({error}): write an offset, as in +01:00"
        ) from None


def _no_zone(text: str) -> str:
    instead = "write a place, as in Europe/Berlin, or an offset, as in +01:00"
    if text.isupper() and len(text) <= 5:
        return f"{text!r} is an abbreviation, which may mean several zones: {instead}"
    towns: dict[str, list[str]] = {}
    for place in _places().values():
        towns.setdefault(place.rpartition("/")[2], []).append(place)
    near = [
        place for town in nearest.names(text.rpartition("/")[2], towns) for place in towns[town]
    ]
    return f"{text!r} is no time zone: {f'did you mean {near[0]}? Else ' if near else ''}{instead}"


@cache
def _places() -> dict[str, str]:
    """The zones with the name of a place, by that name in small letters."""
    return {
        name.casefold(): name
        for name in sorted(available_timezones())
        if "/" in name or re.fullmatch("[A-Z][a-z]{3,}", name)
    }


def utc(text: str, zone: tzinfo = UTC) -> datetime:
    """The time in UTC, without a zone; `zone` counts where the text names none. Raises ZoneError."""
    found = _TIME.fullmatch(text.strip())
    try:
        day = datetime.strptime(found["day"], "%Y-%m-%d") if found else None
    except ValueError:
        day = None
    if found is None or day is None:
        raise ZoneError(f"{text!r} is no time: {EXAMPLE}")
    if found["clock"] is None:
        raise ZoneError(f"{text!r} is a day: say the hour too, for example '{found['day']} 23:59'")
    if found["clock"].startswith("24:"):
        raise ZoneError(f"{text!r}: no clock shows 24 hours; write 23:59, or 00:00 of the next day")
    try:
        hour, minute, *rest = found["clock"].split(":")
        seconds = float(rest[0]) if rest else 0.0
        when = day.replace(hour=int(hour), minute=int(minute), second=int(seconds))
    except ValueError:
        raise ZoneError(f"{text!r} is no time of day: {EXAMPLE}") from None
    return _utc(when, named(found["zone"].strip()) if found["zone"] else zone)


def names_zone(text: str) -> bool:
    """Whether a time that can be read says its zone."""
    found = _TIME.fullmatch(text.strip())
    return bool(found and found["zone"])


def _utc(when: datetime, zone: tzinfo) -> datetime:
    """The one moment at which clocks of the zone show `when`. Raises ZoneError."""
    first, second = (when.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    try:
        moments = [each.astimezone(UTC).replace(tzinfo=None) for each in (first, second)]
        is_shown = moments[0].replace(tzinfo=UTC).astimezone(zone).replace(tzinfo=None) == when
    except OverflowError:
        raise ZoneError(f"{when:%Y-%m-%d} is out of reach: {EXAMPLE}") from None
    if not is_shown:
        later = moments[0].replace(tzinfo=UTC).astimezone(zone)
        raise ZoneError(
            f"{when:%Y-%m-%d %H:%M} does not exist in {zone}, because clocks jump over it: write {later:%Y-%m-%d %H:%M}, or an offset"
        )
    if moments[0] != moments[1]:
        raise ZoneError(
            f"{when:%Y-%m-%d %H:%M} comes twice in {zone}, because clocks are put back: write {when:%Y-%m-%d %H:%M} {_offset(first)} for the "
            f"first time, or {when:%Y-%m-%d %H:%M} {_offset(second)} for the second"
        )
    return moments[0]


def shown(when: datetime, zone: tzinfo) -> str:
    """A time (UTC, without a zone) on the clocks of a zone, with the offset and the place."""
    local = when.replace(tzinfo=UTC).astimezone(zone)
    seconds = ":%S" if local.second else ""
    text = local.strftime(f"%Y-%m-%d %H:%M{seconds}")
    if zone is UTC:
        return f"{text} UTC"
    place = f" ({zone})" if isinstance(zone, ZoneInfo) else ""
    return f"{text} {_offset(local)}{place}"


def here(when: datetime) -> str:
    """The same on this machine's clock."""
    local = when.replace(tzinfo=UTC).astimezone()
    return f"{local:%Y-%m-%d %H:%M} {_offset(local)}"


def differs_here(when: datetime, zone: tzinfo) -> bool:
    """Whether this machine's clock shows another time then than clocks of the zone."""
    moment = when.replace(tzinfo=UTC)
    return moment.astimezone().utcoffset() != moment.astimezone(zone).utcoffset()


def _offset(local: datetime) -> str:
    text = local.strftime("%z")
    return f"{text[:3]}:{text[3:5]}"
