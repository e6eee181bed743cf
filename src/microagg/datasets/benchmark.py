"""The benchmark files of the field: found on disk, or downloaded once, and always checked.

What is checked is the SHA-256 of the values (see `digest`), not of the bytes of a file: public copies of one dataset
differ in line ends, in a header row and in compression, and all of them are welcome as long as the data are the same.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import os
import sys
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from microagg.datasets.dataset import Column, Entry
from microagg.errors import FileProblem
from microagg.files.atomic import atomic_path

CHUNK = 1 << 16
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True)
class Original:
    """A public file, and what must be in it.

    Attributes
    ----------
    url : str
        Where the public original is; https.
    files : tuple of str
        Names to look for on disk; the first one is the name in the cache.
    columns : tuple of str
        The names of the columns, in the order of the file.
    sha256 : str
        The digest of the values.
    most_bytes : int
        A download larger than this is refused.
    text : frozenset of str
        The columns that hold text; the others hold numbers.
    """

    url: str
    files: tuple[str, ...]
    columns: tuple[str, ...]
    sha256: str
    most_bytes: int
    text: frozenset[str] = frozenset()


def read_original(original: Original, download: bool) -> Mapping[str, Column]:
    """Give the values from MICROAGG_DATA, from the cache, or from the network; FileProblem where none has them."""
    folders = data_folders()
    for folder in folders:
        for name in original.files:
            path = folder / name
            if path.is_file():
                return read_file(path, original)
    searched = f"{' or '.join(original.files)} is not in {' nor in '.join(str(folder) for folder in folders)}"
    if not download:
        raise FileProblem(f"{searched}, and downloading was not allowed. {way_out(original)}")
    try:
        return fetch(original, cache_folder())
    except FileProblem as problem:
        raise FileProblem(f"{searched}, and {problem} {way_out(original)}") from problem


def way_out(original: Original) -> str:
    """Say how to get the file by hand."""
    return (
        f"Put a copy of {original.url} as {original.files[0]} into a folder, and name the folder in the environment "
        "variable MICROAGG_DATA."
    )


def data_folders() -> list[Path]:
    """Give the folders to look in: the one that MICROAGG_DATA names, then the cache."""
    named = os.environ.get("MICROAGG_DATA")
    return [*([Path(named)] if named else []), cache_folder()]


def cache_folder() -> Path:
    """Give the folder where downloads are kept: MICROAGG_CACHE, else the platform's place for caches."""
    named = os.environ.get("MICROAGG_CACHE")
    if named:
        return Path(named)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "microagg"


def read_file(path: Path, original: Original) -> Mapping[str, Column]:
    """Read and check a file on disk, compressed by gzip or not."""
    try:
        content = path.read_bytes()
        if path.suffix == ".gz":
            content = gzip.decompress(content)
        return parse(content, original)
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise FileProblem(f"{path} cannot be used: {error} Delete it or replace it.") from error


def parse(content: bytes, original: Original) -> Mapping[str, Column]:
    """Take comma-separated values apart, with or without a header row, and check that they are the right ones.

    ValueError says what is wrong.
    """
    lines = io.StringIO(content.decode("utf-8"), newline=None)
    rows = [tuple(row) for row in csv.reader(lines, skipinitialspace=True) if row]
    if rows and rows[0] == original.columns:
        del rows[0]
    if any(len(row) != len(original.columns) for row in rows):
        raise ValueError(f"not every row has {len(original.columns)} values.")
    values: dict[str, Column] = {}
    for j, name in enumerate(original.columns):
        fields = [row[j] for row in rows]
        try:
            values[name] = np.array(fields, np.str_) if name in original.text else np.array(fields, np.float64)
        except ValueError:
            raise ValueError(f"column {name} must hold numbers, and does not.") from None
    checksum = digest(values)
    if checksum != original.sha256:
        raise ValueError(
            f"its values are not the published ones (SHA-256 of the values is {checksum}, expected {original.sha256})."
        )
    return values


def digest(values: Mapping[str, Column]) -> str:
    r"""Give the SHA-256 of the values, independent of how a file writes them.

    Column by column: the name in UTF-8, a zero byte, the values (numbers as little-endian float64, texts in UTF-8
    with a line feed between), a zero byte.

    >>> expected = hashlib.sha256(b"age\0" + np.array([41.0]).astype("<f8").tobytes() + b"\0").hexdigest()
    >>> digest({"age": np.array([41.0])}) == expected
    True
    """
    total = hashlib.sha256()
    for name, column in values.items():
        total.update(name.encode("utf-8") + b"\0")
        if column.dtype.kind == "f":
            total.update(column.astype("<f8").tobytes())
        else:
            total.update("\n".join(column.tolist()).encode("utf-8"))
        total.update(b"\0")
    return total.hexdigest()


def fetch(
    original: Original, cache: Path, *, timeout: float = 60.0, http_on_loopback: bool = False
) -> Mapping[str, Column]:
    """Download the public original, check its values, and only then keep it in the cache.

    Parameters
    ----------
    original : Original
        What to get.
    cache : Path
        The folder to keep it in; made if needed.
    timeout : float
        Seconds, for the whole download.
    http_on_loopback : bool
        Also accept plain http from this very machine, to test downloading without a network.
    """
    content = download(original.url, original.most_bytes, timeout, http_on_loopback=http_on_loopback)
    try:
        values = parse(content, original)
    except ValueError as error:
        raise FileProblem(f"the download of {original.url} was refused: {error} Nothing was kept.") from error
    keep(content, cache / original.files[0])
    return values


def check_url(url: str, *, http_on_loopback: bool) -> None:
    """Refuse what is neither https nor, where that is allowed, http on this very machine."""
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    if parts.scheme != "https" and not (http_on_loopback and parts.scheme == "http" and parts.hostname in LOOPBACK):
        raise FileProblem(f"the download of {url} was refused: data are fetched over https only.")


def download(url: str, most_bytes: int, timeout: float, *, http_on_loopback: bool = False) -> bytes:
    """Give the body of a URL, whole and no larger than allowed, or FileProblem."""
    # Imported here: half of the time that importing the whole package takes, for something most users never do.
    from http.client import HTTPException, HTTPMessage
    from typing import IO
    from urllib.request import HTTPRedirectHandler, Request, build_opener

    class CheckedRedirects(HTTPRedirectHandler):
        """Follow a redirect only to where we would have gone ourselves."""

        def redirect_request(
            self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
        ) -> Request | None:
            check_url(newurl, http_on_loopback=http_on_loopback)
            return super().redirect_request(req, fp, code, msg, headers, newurl)

    check_url(url, http_on_loopback=http_on_loopback)
    too_large = FileProblem(f"the download of {url} was refused: it is larger than {most_bytes} bytes.")
    deadline = time.monotonic() + timeout
    body = bytearray()
    try:
        with build_opener(CheckedRedirects).open(url, timeout=timeout) as response:
            announced = response.headers.get("Content-Length")
            if announced is not None and int(announced) > most_bytes:
                raise too_large
            while chunk := response.read1(CHUNK):
                body += chunk
                if len(body) > most_bytes:
                    raise too_large
                if time.monotonic() > deadline:
                    raise TimeoutError(f"it took longer than {timeout:g} seconds")
    except FileProblem:
        raise
    except (OSError, HTTPException, ValueError) as error:
        raise FileProblem(f"the download of {url} failed: {error}.") from error
    if announced is not None and len(body) != int(announced):
        raise FileProblem(f"the download of {url} broke off after {len(body)} of {announced} bytes.")
    return bytes(body)


def keep(content: bytes, path: Path) -> None:
    """Write a file so that it is there whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(path) as temporary:
            temporary.write_bytes(content)
    except (OSError, FileProblem) as error:
        raise FileProblem(
            f"the download cannot be kept as {path}: {str(error).rstrip('.')}. Name another folder in the environment "
            "variable MICROAGG_CACHE."
        ) from error


SDC_DATASETS = "https://raw.githubusercontent.com/francasino/SDC_datasets/b988a009692cc26b71f789550c63869b85a83b5a"

CENSUS = Original(
    url=f"{SDC_DATASETS}/CASCrefmicrodata.csv",
    files=("census.csv", "CASCrefmicrodata.csv"),
    columns=(
        "AFNLWGT",
        "AGI",
        "EMCONTRB",
        "FEDTAX",
        "PTOTVAL",
        "STATETAX",
        "TAXINC",
        "POTHVAL",
        "INTVAL",
        "PEARNVAL",
        "FICA",
        "WSALVAL",
        "ERNVAL",
    ),
    sha256="acab3d699d6fdb266dc504caa058a27585a435c16991be99bb56ba485842f84d",
    most_bytes=1_000_000,
)
TARRAGONA = Original(
    url=f"{SDC_DATASETS}/tarragona.csv",
    files=("tarragona.csv",),
    columns=(
        "FIXED.ASSETS",
        "CURRENT.ASSETS",
        "TREASURY",
        "UNCOMMITTED.FUNDS",
        "PAID.UP.CAPITAL",
        "SHORT.TERM.DEBT",
        "SALES",
        "LABOR.COSTS",
        "DEPRECIATION",
        "OPERATING.PROFIT",
        "FINANCIAL.OUTCOME",
        "GROSS.PROFIT",
        "NET.PROFIT",
    ),
    sha256="2c97c905bfe86892bba9f8b29c95672d56165c0306699c795069aec845957aea",
    most_bytes=1_000_000,
)
EIA = Original(
    url=f"{SDC_DATASETS}/EIA.csv",
    files=("eia.csv", "EIA.csv"),
    columns=(
        "UTILITYID",
        "RESREVENUE",
        "RESSALES",
        "COMREVENUE",
        "COMSALES",
        "INDREVENUE",
        "INDSALES",
        "OTHREVENUE",
        "OTHRSALES",
        "TOTREVENUE",
        "TOTSALES",
    ),
    sha256="13f2df97d6f99538df914955fac617eacf7d17fd683d7b4be5c6fc176197a4f2",
    most_bytes=2_000_000,
)
ADULT = Original(
    url="https://raw.githubusercontent.com/qiyuangong/Mondrian/HEAD/data/adult.data",
    files=("adult.data", "adult_full.csv.gz", "adult.csv"),
    columns=(
        "age",
        "workclass",
        "fnlwgt",
        "education",
        "education_num",
        "marital_status",
        "occupation",
        "relationship",
        "race",
        "sex",
        "capital_gain",
        "capital_loss",
        "hours_per_week",
        "native_country",
        "income",
    ),
    text=frozenset(
        {
            "workclass",
            "education",
            "marital_status",
            "occupation",
            "relationship",
            "race",
            "sex",
            "native_country",
            "income",
        }
    ),
    sha256="7cedd26ae298d7cb8967539d9308766e601d529c2aa2bdfc1627c2347ae8e98f",
    most_bytes=16_000_000,
)

CASC = "CASC project, as in the R package sdcMicro; downloaded from GitHub francasino/SDC_datasets"
ENTRIES = (
    Entry(
        name="census",
        title="Census",
        description="1080 records of the U.S. Census Bureau, 13 amounts of income and tax",
        source=CASC,
        licence="U.S. Census Bureau extract of 2000; the package that ships it is GPL-2, the copy states no licence",
        n_records=1080,
        columns=CENSUS.columns,
        read=partial(read_original, CENSUS),
    ),
    Entry(
        name="tarragona",
        title="Tarragona",
        description="834 companies of the Tarragona area in 1995, 13 amounts of their accounts",
        source=CASC,
        licence="the package that ships it is GPL-2, the copy states no licence",
        n_records=834,
        columns=TARRAGONA.columns,
        read=partial(read_original, TARRAGONA),
    ),
    Entry(
        name="eia",
        title="EIA",
        description="4092 reports of U.S. electric utilities: the utility, and 10 amounts of revenue and sales",
        source=CASC,
        licence="U.S. energy statistics; the package that ships it is GPL-2, the copy states no licence",
        n_records=4092,
        columns=EIA.columns,
        read=partial(read_original, EIA),
    ),
    Entry(
        name="adult",
        title="Adult",
        description="32561 persons of the UCI Adult data, 6 numbers and 9 categories, '?' where missing",
        source="UCI Machine Learning Repository, Adult (training part); downloaded from GitHub qiyuangong/Mondrian",
        licence="see the UCI Machine Learning Repository",
        n_records=32561,
        columns=ADULT.columns,
        read=partial(read_original, ADULT),
    ),
)
