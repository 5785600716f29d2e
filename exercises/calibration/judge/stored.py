"""What is known of the public cases and of the first draws for practice without computing it: which
of the histograms that are drawn is the case's, and where each mistake ends in it.

`tools/calibration_cases.py` writes `TABLE`. A line is a case's name and seed, the number of the
attempt that was taken, the digest of the histogram with the third argument, and the bins at which
each mistake ends, by the order of the ids, which are those of the function.
"""

from __future__ import annotations

import hashlib
from functools import cache

import numpy as np

PERCENTILE = (
    *("lower-edge", "cuts-the-rest", "counts-bins", "last-below", "more-than-the-share"),
    *("empty-bins-dropped", "first-bin-not-tried"),
)
ENTROPY = (
    *("last-of-equals", "first-not-tried", "small-for-infinite", "whole-not-tried"),
    *("groups-of-levels", "spread-over-empty-bins", "spread-by-kept", "last-bin-replaced"),
    *("one-bin-lost", "infinite-left-out", "other-direction", "not-normalised", "squares"),
)
TABLE = """
percentile-tail 0 0 6ebc38b3f237 45 8 144 44,45 46 46 46
percentile-gaps 0 1 037b87276e18 220 63 211 219,220 221 33 221
percentile-outliers 0 0 15921dcc00cd 21 2 58 20,21 22 22 22
percentile-three-quarters 0 0 70a89c2c601f 103 37 202 102,103 143 104 104
entropy-outliers 0 0 962ab3151d28 48 48 48 48 32 48 48 48 48 48 48 48 48
entropy-tail 0 34 6e7f57e32ec1 208 208 208 208 256 208 176 208 208 208 160 224 144
entropy-gaps 0 0 b6677700da0a 256 256 256 240 256 48 256 256 256 112 240 256 256
entropy-far-off 0 0 0934cdad091e 256 256 64 48 256 256 256 256 256 64 64 256 64
entropy-last-full 0 0 010d3af5684e 32 32 32 32 16 16 32 224 32 48 32 32 32
entropy-equal-cuts 0 0 92afceb2cc33 64 32 32 32 32 16 32 32 32 32 32 32 32
entropy-one-beyond 0 0 37c51ec5b787 64 48 48 48 48 48 48 48 32 16 48 48 48
entropy-first-cut 0 0 d7c9c1f2eb12 48 32 16 16 16 16 16 16 16 16 16 16 16
percentile-gaps-new 6076778393615405837 0 cac54beab671 224 27 239 223,224 225 34 225
percentile-mostly-zero 4939453716499441782 0 7d81d5ddb7a2 0 1 230 0,0 1 1 2
percentile-three-quarters-new 364704248634762115 0 9e3002f4a210 91 30 205 90,91 143 92 92
entropy-tail-new 2473176809397251043 4 9477c91ffa88 176 176 176 176 256 176 208 176 176 176 160 192 160
entropy-outliers-new 6437156597571330120 1 fef9c7a6c2a1 48 48 48 48 32 48 48 48 48 48 48 48 48
entropy-mostly-zero 7811237675381490960 0 9de203ace072 144 144 144 144 256 48 128 144 144 16 144 144 144
entropy-far-off-new 5303155269310022884 0 5c5d41482ca6 256 256 64 48 256 256 256 256 256 64 64 256 64
entropy-last-full-new 7167921257340591507 0 6e0325a86309 32 32 32 32 16 16 32 16 32 48 32 32 32
entropy-one-beyond-new 3172243870304975738 0 a786051bd7d7 64 48 48 48 48 48 48 48 32 16 48 48 48
entropy-first-cut-new 2540442732154963748 0 035693b891ef 48 32 16 16 16 16 16 16 16 16 16 16 16
percentile-gaps-new 801426777728711251 0 bf195372738b 237 36 231 236,237 238 37 238
percentile-mostly-zero 415364598268053576 0 515fe79bc527 0 1 235 0,0 1 1 2
percentile-three-quarters-new 7097703387235807204 0 5737c1dbb911 88 30 205 87,88 143 89 89
entropy-tail-new 2758627693264748462 33 5a52bdfc93cc 192 192 192 192 256 192 176 192 192 192 160 208 160
entropy-outliers-new 8046502865401243318 2 4940b6f8c43d 48 48 48 48 32 48 48 48 48 48 48 48 48
entropy-mostly-zero 6992302873634703882 1 8bf886dee48d 96 96 96 96 256 48 80 96 96 16 96 96 96
entropy-far-off-new 5401902652515056570 0 02d079ca87de 256 256 64 48 256 256 256 256 256 64 64 256 64
entropy-last-full-new 7495362134574524853 1 709845951ae0 32 32 32 32 208 16 32 16 32 48 32 32 32
entropy-one-beyond-new 6180052442615052264 0 cc486f4e190b 64 48 48 48 48 48 48 48 32 16 48 48 48
entropy-first-cut-new 7323641904417756616 0 1812c927caed 48 32 16 16 16 16 16 16 16 16 16 16 16
percentile-gaps-new 2804608052535254256 0 7b89fa18b187 212 75 219 211,212 213 34 213
percentile-mostly-zero 2320582123768178677 0 cedcda8348ed 0 1 213 0,0 1 1 2
percentile-three-quarters-new 9110698987050515807 0 ce63046d8f6c 108 36 201 107,108 143 109 109
entropy-tail-new 6567057335466541809 23 fd87fae2ad5c 208 208 208 208 256 208 192 208 208 208 160 224 160
entropy-outliers-new 923097185930872190 2 08220660cdbb 48 48 48 48 32 48 48 48 48 48 48 48 48
entropy-mostly-zero 1954454845384308161 4 e602c3091c72 64 64 64 64 256 32 112 64 64 16 64 64 64
entropy-far-off-new 3032416705594511310 0 0f6a9c1103f2 256 256 64 48 256 256 256 256 256 64 64 256 64
entropy-last-full-new 3088396464794710996 2 cfba3a453240 32 32 32 32 208 16 32 208 32 48 32 32 32
entropy-one-beyond-new 8386352369550682859 0 665367ed6d99 64 48 48 48 48 48 48 48 32 16 48 48 48
entropy-first-cut-new 3109432208773079359 0 393eadee09fa 48 32 16 16 16 16 16 16 16 16 16 16 16
percentile-gaps-new 2445935718567587159 0 7082ac7de75a 238 5 242 237,238 239 37 239
percentile-mostly-zero 5880838419424929737 0 386c15aa8b23 0 1 223 0,0 1 1 2
percentile-three-quarters-new 8406497316223565894 0 3355d25dc74a 97 33 203 96,97 143 98 98
entropy-tail-new 599754611738969886 12 1202f91f1847 160 160 160 160 256 160 192 160 160 160 128 176 128
entropy-outliers-new 3287921984967050183 1 5825163d1bb8 48 48 48 48 32 48 48 48 48 48 48 48 48
entropy-mostly-zero 4583470346733902939 3 24779f38a7b4 128 128 128 128 256 96 256 128 128 16 128 128 128
entropy-far-off-new 6876177287425303785 0 a7b5f5e5a6b8 256 256 64 48 256 256 256 256 256 64 64 256 64
entropy-last-full-new 5945078717046588783 1 edfa93a8543f 32 32 32 32 16 16 32 16 32 48 32 32 32
entropy-one-beyond-new 3572671546429737296 0 090eb0875892 64 48 48 48 48 48 48 48 32 16 48 48 48
entropy-first-cut-new 2991555482015245590 0 921af709b1bf 48 32 16 16 16 16 16 16 16 16 16 16 16
percentile-gaps-new 4613662802867602687 1 5c2872bb30db 189 83 198 188,189 190 30 190
percentile-mostly-zero 6241447512802923760 0 ae3f490dcc2a 0 1 234 0,0 1 1 2
percentile-three-quarters-new 1326190968085723748 0 1f3db874df68 112 38 200 111,112 143 113 113
entropy-tail-new 2918285335904035633 75 aa9c5fb915b7 192 192 192 192 256 192 224 192 192 192 176 208 176
entropy-outliers-new 3529084483633891431 3 79dea8aa59f8 48 48 48 48 32 48 48 48 48 48 48 48 48
entropy-mostly-zero 5574358343646216258 3 c9e1196f4781 96 96 96 96 256 48 48 96 96 16 96 96 96
entropy-far-off-new 1312643391554622761 0 28aef8407481 256 256 64 48 256 256 256 256 256 64 64 256 64
entropy-last-full-new 6897960930178042545 2 242e70e66f8a 32 32 32 32 208 16 32 16 32 48 32 32 32
entropy-one-beyond-new 6864042949684951955 0 ec8319195f4d 64 48 48 48 48 48 48 48 32 16 48 48 48
entropy-first-cut-new 8903228338305062201 0 06402680667d 48 32 16 16 16 16 16 16 16 16 16 16 16
percentile-gaps-new 2322069608977101895 0 f28d42255dbb 250 42 236 249,250 251 38 251
percentile-mostly-zero 9110832749191232555 0 38475af6787d 0 1 231 0,0 1 1 2
percentile-three-quarters-new 2814580301732519574 0 872a9adc10f6 104 37 202 103,104 143 105 105
entropy-tail-new 2823725428456930641 14 4ed795be2a66 192 192 192 192 256 192 160 192 192 192 160 224 144
entropy-outliers-new 6763285823032910515 0 6993b9ab7034 48 48 48 48 32 48 48 48 48 48 48 48 48
entropy-mostly-zero 3750213878891806424 21 25fb6d6b760e 96 96 96 96 256 32 256 96 96 16 96 96 96
entropy-far-off-new 7986811540214324202 0 ebccf0aa5ea6 256 256 64 48 256 256 256 256 256 64 64 256 64
entropy-last-full-new 3749118760977831458 2 819ba6c7f16d 32 32 32 32 208 16 32 224 32 48 32 32 32
entropy-one-beyond-new 1972842425751893859 0 05527c29001b 64 48 48 48 48 48 48 48 32 16 48 48 48
entropy-first-cut-new 3816842134294579880 0 3a078b4b4644 48 32 16 16 16 16 16 16 16 16 16 16 16
percentile-gaps-new 3952447295035155742 0 d3cf7a1ce8ce 219 70 217 218,219 220 33 220
percentile-mostly-zero 73966595287153230 0 eeeece7e3931 0 1 239 0,0 1 1 2
percentile-three-quarters-new 4958803979126395447 0 ec1e1479e670 111 38 200 110,111 143 112 112
entropy-tail-new 301348585865281195 39 02b94351d8ec 144 144 144 144 256 144 176 144 144 144 128 160 128
entropy-outliers-new 6974461074946274242 10 e07096d8d607 48 48 48 48 32 48 48 48 48 48 48 48 48
entropy-mostly-zero 6243696026029800503 2 43800eef4a1e 112 112 112 112 256 96 192 112 112 16 112 112 112
entropy-far-off-new 7593472336951876177 0 a284d6a31186 256 256 64 48 256 256 256 256 256 64 64 256 64
entropy-last-full-new 8510611424424680914 2 f6f4a4feeace 32 32 32 32 208 16 32 208 32 48 32 32 32
entropy-one-beyond-new 191626942788413375 0 c48d8b4b89b1 64 48 48 48 48 48 48 48 32 16 48 48 48
entropy-first-cut-new 5299755047138180496 0 7e42e138ae29 48 32 16 16 16 16 16 16 16 16 16 16 16
percentile-gaps-new 5125673468791412614 2 8637eef785bf 236 55 236 235,236 237 37 237
percentile-mostly-zero 2482032799573068375 0 76a00376ade9 0 1 205 0,0 1 1 2
percentile-three-quarters-new 4763224322640532948 0 b3e8583cffcb 95 34 204 94,95 143 96 96
entropy-tail-new 1535758336005445499 41 4950c7003d59 208 208 208 208 256 208 160 208 208 208 160 240 160
entropy-outliers-new 8199668243255363937 0 596f67193e25 48 48 48 48 32 48 48 48 48 48 48 48 48
entropy-mostly-zero 7506255853063159036 1 d8e6c86d8065 192 192 192 192 256 64 256 192 192 16 192 192 192
entropy-far-off-new 9188963087885074951 0 174afa1d4e4e 256 256 64 48 256 256 256 256 256 64 64 256 64
entropy-last-full-new 1736366729373904070 9 544f39f6ee5a 32 32 32 32 208 16 32 16 32 48 32 32 32
entropy-one-beyond-new 5980623686055048560 0 177908a9bcf0 64 48 48 48 48 48 48 48 32 16 48 48 48
entropy-first-cut-new 2761368486809943145 0 3a38c689ebb3 48 32 16 16 16 16 16 16 16 16 16 16 16
"""


def attempt(name: str, seed: int) -> int | None:
    """Return the place of the case's histogram among those that are drawn; None for a case that is
    not stored.
    """
    return _attempts().get((name, seed))


def ends(mistake: str, counts: np.ndarray, third: float | int) -> tuple[int, ...] | None:
    """Return where the mistake of that id ends, in bins; None for a histogram that is not stored."""
    known = _ends().get(digest(counts, third))
    return known and known[mistake]


def digest(counts: np.ndarray, third: float | int) -> str:
    """Return a short name for a histogram with a third argument."""
    content = np.asarray(counts).astype("<i8").tobytes() + repr(third).encode()
    return hashlib.sha256(content).hexdigest()[:12]


@cache
def _attempts() -> dict[tuple[str, int], int]:
    lines = map(str.split, TABLE.strip().splitlines())
    return {(name, int(seed)): int(taken) for name, seed, taken, *_ in lines}


@cache
def _ends() -> dict[str, dict[str, tuple[int, ...]]]:
    found = {}
    for name, _, _, known, *words in map(str.split, TABLE.strip().splitlines()):
        names = PERCENTILE if name.startswith("percentile") else ENTROPY
        ends = [tuple(map(int, word.split(","))) for word in words]
        found[known] = dict(zip(names, ends, strict=True))
    return found
