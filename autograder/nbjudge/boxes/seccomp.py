"""The box's system-call filter as classic BPF, for x86_64 and aarch64.

1. A process of another architecture (32-bit calls) is killed.
2. A call whose number nobody has reviewed (`_REVIEWED`) does not exist here, as if the kernel were
   older: ENOSYS, at which the C library falls back to what it did before the call was there. So a
   call that a new kernel adds is refused from the first day, and so are the numbers of x32.
3. A call on the deny list (`_DENIED`) is not permitted.
4. A few calls are refused for some of their arguments.

Namespaces and missing capabilities already refuse most of these; the filter is what stops nested
user namespaces, memory that no limit counts (memfd, System V segments, shared memory without a
file), exotic sockets, and one process of the box reaching into another of the same user.

`shield` is a second filter, for student code alone: it keeps the process that student code was
forked from out of its reach.
"""

from __future__ import annotations

import errno
import platform
import struct
import sys

# Classic BPF: load a 32-bit word, compare with a constant, test bits, return.
_LOAD = 0x20
_EQUAL = 0x15
_ABOVE = 0x35
_BITS = 0x45
_RETURN = 0x06
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
_KILL = 0x80000000
# Offsets in struct seccomp_data; the arguments are 64-bit, little endian, and only their low words
# matter here.
_NUMBER = 0
_ARCH = 4
_FIRST_ARGUMENT = 16
_SECOND_ARGUMENT = 24
_THIRD_ARGUMENT = 32
_FOURTH_ARGUMENT = 40

_CLONE_NEW = 0x7E020000  # a new user, pid, net, ipc, uts, cgroup or mount namespace
# Unix, inet, inet6, netlink: what ipykernel and libzmq need on the box's own loopback.
_FAMILIES = (1, 2, 10, 16)
_TIOCSTI = 0x5412
# A lease on a file of the instructor's, which an ordinary user's boxes can take: whoever opens it
# waits for 45 seconds.
_F_SETLEASE = 1024
# Locks of parts of a file, which no limit counts. Databases get them, without asking the system.
_LOCKS = (6, 7, 37, 38)  # F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW
# A thread with descriptors of its own, which its process does not show; the C library makes none.
_CLONE_THREAD = 0x10000
_CLONE_FILES = 0x400
_CLOSE_RANGE_UNSHARE = 0x2
_PR_FUTEX_HASH = 78  # a table of locks, of as many gigabytes as one likes
# Memory without a file that processes share: it stays filled when no process counts its pages any
# more. The other way to it is a map of /dev/zero, which a box has not (see `launch`).
_MAP_ANONYMOUS = 0x20
_MAP_SHARED = 0x01

# The numbers that the deny list was held against, first and last. They end with Linux 6.1, which
# Debian 12 has, the oldest system that can grade: what works there needs nothing newer. Before one of these
# is let in, it has to be read: 451 cachestat, 452 fchmodat2, 453 map_shadow_stack, 454 to 456
# futex_wake, futex_wait and futex_requeue, 457 and 458 statmount and listmount (they show the host's
# mounts), 459 to 461 lsm_get_self_attr, lsm_set_self_attr and lsm_list_modules, 462 mseal, 463 to 466
# setxattrat, getxattrat, listxattrat and removexattrat, 467 open_tree_attr (it does what open_tree
# and mount_setattr do, which are denied), 468 and 469 file_getattr and file_setattr, 470 listns.
# x86_64 has 335 and 336 besides, uretprobe and uprobe: kernels call them for whoever traces the host's
# programs, and a program that calls them itself gets nothing.
_REVIEWED = {
    "x86_64": ((0, 336), (424, 450)),
    "aarch64": ((0, 243), (260, 294), (424, 450)),
}

# name: (x86_64, aarch64); None where the architecture has no such call.
_DENIED: dict[str, tuple[int | None, int | None]] = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "memfd_create": (319, 279),
    # A page that waits in a pipe keeps two megabytes filled, where pages are large, and is nobody's.
    "vmsplice": (278, 75),
    "memfd_secret": (447, 447),
    "userfaultfd": (323, 282),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    # Rules without end, in memory that no limit counts.
    "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446),
    "io_setup": (206, 0),  # all of a machine have 65536 requests together
    "fanotify_init": (300, 262),
    # A user has 128 of them, and an ordinary user's boxes take those of the instructor's programs.
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "personality": (135, 92),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
}

# audit architecture, then the calls that are judged by an argument
_ARCHITECTURES = {
    "x86_64": (
        0xC000003E,
        0,
        {
            "clone": 56,
            "clone3": 435,
            "socket": 41,
            "socketpair": 53,
            "prlimit64": 302,
            "ioctl": 16,
            "fcntl": 72,
            "prctl": 157,
            "mmap": 9,
            "close_range": 436,
            "seccomp": 317,
        },
    ),
    "aarch64": (
        0xC00000B7,
        1,
        {
            "clone": 220,
            "clone3": 435,
            "socket": 198,
            "socketpair": 199,
            "prlimit64": 261,
            "ioctl": 29,
            "fcntl": 25,
            "prctl": 167,
            "mmap": 222,
            "close_range": 436,
            "seccomp": 277,
        },
    ),
}


# Calls that reach another process, with the argument that names it: (x86_64, aarch64, number of the
# argument).
_REACHING: dict[str, tuple[int, int, int]] = {
    "kill": (62, 129, 0),
    "tkill": (200, 130, 0),
    "tgkill": (234, 131, 0),
    "tgkill of a thread": (234, 131, 1),
    "rt_sigqueueinfo": (129, 138, 0),
    "rt_tgsigqueueinfo": (297, 240, 0),
    "rt_tgsigqueueinfo of a thread": (297, 240, 1),
    "pidfd_open": (434, 434, 0),
    "setpgid": (109, 154, 0),
    "setpriority": (141, 140, 1),
    "ioprio_set": (251, 30, 1),
    "sched_setparam": (142, 118, 0),
    "sched_setscheduler": (144, 119, 0),
    "sched_setaffinity": (203, 122, 0),
    "sched_setattr": (314, 274, 0),
}
# A signal through a descriptor: a folder of /proc is one, too. Nobody in a notebook needs it.
_BY_DESCRIPTOR = {"pidfd_send_signal": (424, 424), "process_mrelease": (448, 448)}
# Whole groups: of a user, and the owner of a descriptor, who gets signals that its sender chooses.
_GROUPS = {
    "setpriority": (141, 140, 0, (1, 2)),
    "ioprio_set": (251, 30, 0, (2, 3)),
    "fcntl": (72, 25, 1, (8, 15)),
}
_OWNER = (0x8901, 0x8902)  # FIOSETOWN, SIOCSPGRP
# One hides from an ordinary user's watchdog what a process has open; the other is a filter, and all
# filters of a machine have one memory.
_PR_SET_DUMPABLE = 4
_PR_SET_SECCOMP = 22
_INTERNET = (2, 10, 16)


class UnsupportedMachine(ValueError):
    """There is no filter for this processor."""


def program(machine: str | None = None) -> bytes:
    """The filter as an array of `struct sock_filter`, for `bwrap --seccomp`. Raises
    UnsupportedMachine.
    """
    machine = machine or platform.machine()
    if machine not in _ARCHITECTURES or sys.byteorder != "little":
        raise UnsupportedMachine(
            f"the sandbox has no system-call filter for {machine}; it knows {', '.join(_ARCHITECTURES)}"
        )
    audit, column, calls = _ARCHITECTURES[machine]
    lines = [
        _line(_LOAD, _ARCH),
        _line(_EQUAL, audit, 1, 0),
        _line(_RETURN, _KILL),
        _line(_LOAD, _NUMBER),
        *_only(_REVIEWED[machine]),
    ]
    for numbers in _DENIED.values():
        number = numbers[column]
        if number is not None:
            lines += [_line(_EQUAL, number, 0, 1), _refuse(errno.EPERM)]
    return b"".join([*lines, *_by_argument(calls), _line(_RETURN, _ALLOW)])


def _only(ranges: tuple[tuple[int, int], ...]) -> list[bytes]:
    """Answer ENOSYS to a number in none of the ranges, which ascend from 0."""
    lines: list[bytes] = []
    for first, last in ranges:
        # What is not above this range, and is no part of it, is left to the ranges below.
        lines = [
            _line(_ABOVE, last + 1, 0, 1),
            _refuse(errno.ENOSYS),
            _line(_ABOVE, first, len(lines), 0),
            *lines,
        ]
    return lines


def _by_argument(calls: dict[str, int]) -> list[bytes]:
    """Calls that are refused for some of their arguments."""
    first = _line(_LOAD, _FIRST_ARGUMENT)
    second = _line(_LOAD, _SECOND_ARGUMENT)
    refused = _refuse(errno.EPERM)
    # clone3 passes its flags in memory, where a filter cannot look; ENOSYS makes the C library fall
    # back to clone.
    lines = [_line(_EQUAL, calls["clone3"], 0, 1), _refuse(errno.ENOSYS)]
    apart = [_line(_BITS, _CLONE_THREAD, 0, 2), _line(_BITS, _CLONE_FILES, 1, 0), refused]
    lines += _when(calls["clone"], [first, _line(_BITS, _CLONE_NEW, 0, 1), refused, *apart])
    for call in ("socket", "socketpair"):
        lines += _when(calls[call], [first, *_unless(_FAMILIES), _refuse(errno.EAFNOSUPPORT)])
    # Limits of another process of the same user: a kernel could otherwise take the supervisor's CPU
    # time or memory away.
    fourth = _line(_LOAD, _FOURTH_ARGUMENT)
    nameless = [_line(_BITS, _MAP_ANONYMOUS, 0, 2), _line(_BITS, _MAP_SHARED, 0, 1), refused]
    lines += _when(calls["mmap"], [fourth, *nameless])
    lines += _when(calls["prlimit64"], [first, *_unless((0,)), refused])
    lines += _when(calls["prctl"], [first, _line(_EQUAL, _PR_FUTEX_HASH, 0, 1), refused])
    third = _line(_LOAD, _THIRD_ARGUMENT)
    unshared = [third, _line(_BITS, _CLOSE_RANGE_UNSHARE, 0, 1), refused]
    lines += _when(calls["close_range"], unshared)
    granted = [line for lock in _LOCKS for line in (_line(_EQUAL, lock, 0, 1), _refuse(0))]
    leased = [second, _line(_EQUAL, _F_SETLEASE, 0, 1), refused]
    lines += _when(calls["fcntl"], [*leased, *granted])
    return lines + _when(calls["ioctl"], [second, _line(_EQUAL, _TIOCSTI, 0, 1), refused])


def shield(pid: int, offline: bool, machine: str | None = None) -> bytes:
    """A filter for the children of process `pid`, which leads its own process group: they cannot
    signal, slow down or name it.

    Signals to everybody (`kill(-1)`) are refused with it. With `offline` the box's loopback is out
    of reach, too.
    """
    audit, column, calls = _ARCHITECTURES[machine or platform.machine()]
    refused = tuple(number & 0xFFFFFFFF for number in (pid, -pid, -1))
    lines = [_line(_LOAD, _ARCH), _line(_EQUAL, audit, 1, 0), _line(_RETURN, _KILL)]
    for *numbers, place in _REACHING.values():
        lines += _if_among(numbers[column], place, refused)
    for *numbers, place, kinds in _GROUPS.values():
        lines += _if_among(numbers[column], place, kinds)
    lines += _if_among(calls["ioctl"], 1, _OWNER)
    lines += _if_among(calls["prctl"], 0, (_PR_SET_DUMPABLE, _PR_SET_SECCOMP))
    if offline:
        lines += _if_among(calls["socket"], 0, _INTERNET)
    lines.append(_line(_LOAD, _NUMBER))
    for number in (calls["seccomp"], *(numbers[column] for numbers in _BY_DESCRIPTOR.values())):
        lines += [_line(_EQUAL, number, 0, 1), _refuse(errno.EPERM)]
    return b"".join([*lines, _line(_RETURN, _ALLOW)])


def _if_among(number: int, place: int, values: tuple[int, ...]) -> list[bytes]:
    """Refuse one call when the low word of its argument is one of `values`; all others go on to
    what follows.
    """
    tests = [
        _line(_EQUAL, value, len(values) - index - 1, int(index == len(values) - 1))
        for index, value in enumerate(values)
    ]
    body = [_line(_LOAD, _FIRST_ARGUMENT + 8 * place), *tests, _refuse(errno.EPERM)]
    return [_line(_LOAD, _NUMBER), _line(_EQUAL, number, 0, len(body)), *body]


def _line(code: int, constant: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, constant)


def _refuse(number: int) -> bytes:
    return _line(_RETURN, _ERRNO | number)


def _when(number: int, body: list[bytes]) -> list[bytes]:
    """`body` for one call only; it ends in a return, or in an allowed call."""
    body = [*body, _line(_RETURN, _ALLOW)]
    return [_line(_EQUAL, number, 0, len(body)), *body]


def _unless(values: tuple[int, ...]) -> list[bytes]:
    """Skip the refusal that follows when the loaded word is one of `values`."""
    return [_line(_EQUAL, value, len(values) - place, 0) for place, value in enumerate(values)]
