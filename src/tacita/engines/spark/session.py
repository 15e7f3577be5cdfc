"""The local Spark of this process: started by the first engine that needs it, stopped by the last.

It shows nothing and leaves nothing: no web page, no console, no catalogue on disk. What it spills and what Java prints
lies in one private folder, which is journalled and removed like DuckDB's. It listens on this machine alone.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacita.errors import MissingExtra, OutputError, TacitaError, UsageError
from tacita.settings import Settings
from tacita.workspace import journalled, spill_folder

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

OLDEST_JAVA = 17
_LEAST_MEMORY = 512
_UNITS = {"k": 1 / 1024, "m": 1, "g": 1024, "t": 1024 * 1024}
_STOPPING = 30


@dataclass(slots=True)
class _Running:
    session: SparkSession
    exit: contextlib.ExitStack
    process: subprocess.Popen[bytes]
    engines: int = 0


_running: _Running | None = None
_lock = threading.Lock()


@contextlib.contextmanager
def local_session(settings: Settings) -> Iterator[SparkSession]:
    """Hand out a session of this process' own Spark, with tables and settings of its own."""
    global _running  # noqa: PLW0603 - there is one Spark in a process, whoever uses it
    require_pyspark()
    with _lock:
        if _running is not None and _running.process.poll() is not None:  # somebody or something killed Java
            _running.exit.close()
            _running = None
        if _running is None:
            _running = _started(settings)
        _running.engines += 1
        running = _running
    try:
        yield running.session.newSession()
    finally:
        with _lock:
            running.engines -= 1
            if not running.engines:
                running.exit.close()
                _running = None if _running is running else _running


def adapted(session: SparkSession) -> SparkSession:
    """Return a session beside one that somebody hands over: the same Spark, but tables and settings of its own."""
    if not hasattr(session, "_jsparkSession"):
        raise UsageError(
            "the session is one of Spark Connect, which does not let an engine keep tables",
            do="hand over a classic session: SparkSession.builder.master(...).getOrCreate()",
        )
    own = session.newSession()
    for name, value in session.conf.getAll.items():
        if name.startswith("spark.sql.") and session.conf.isModifiable(name):
            own.conf.set(name, value)
    return own


def configured(session: SparkSession, partitions: int | None) -> SparkSession:
    """Set what plans rely on; `partitions` is how many a shuffle makes, None to leave that to the session."""
    for name, value in _RELIED_ON.items():
        session.conf.set(name, value)
    if partitions is not None:
        session.conf.set("spark.sql.shuffle.partitions", str(partitions))
    return session


_RELIED_ON = {
    # As in DuckDB: an overflow is a fault, a cast that may fail is a TRY_CAST, never a silent NULL or a turned sign.
    "spark.sql.ansi.enabled": "true",
    "spark.sql.ansi.enforceReservedKeywords": "false",
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    # Columns of a file may differ in case only.
    "spark.sql.caseSensitive": "true",
    # A text such as ${x} is a text.
    "spark.sql.variable.substitute": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
    # Folders such as code=007 are texts.
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    "spark.sql.legacy.parquet.nanosAsLong": "true",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "50000",
    "spark.sql.execution.arrow.useLargeVarTypes": "false",
    # A checkpoint remembers conditions on columns that it does not have, and a union of such stops at them.
    "spark.sql.constraintPropagation.enabled": "false",
    # Sets are gathered by hash as long as there are not very many groups.
    "spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "10000",
}


def require_pyspark() -> None:
    """Raise with what to install if pyspark is not there."""
    try:
        with warnings.catch_warnings():
            # Says once that it does not know the newest pandas, which is not used here.
            warnings.simplefilter("ignore")
            import pyspark.testing.utils  # noqa: F401 - PySpark imports it in the middle of its work
    except ImportError:
        raise MissingExtra(
            "the Spark engine needs a package that is not installed",
            do=f"pip install 'tacita[spark]', and install Java {OLDEST_JAVA} or newer",
        ) from None


def require_java() -> Path:
    """Return the Java that Spark will use, or raise with what to install."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    advice = f"install Java {OLDEST_JAVA} or newer (openjdk-17-jre-headless on Debian), or set JAVA_HOME to one"
    if java is None or not Path(java).exists():
        place = f" in JAVA_HOME ({home})" if home else ""
        raise MissingExtra(f"the Spark engine needs Java, and there is none{place}", do=advice)
    try:
        output = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False).stderr
    except (OSError, subprocess.SubprocessError):
        output = ""
    version = java_version(output)
    if version is None:
        raise MissingExtra("the Java that was found does not run", where=java, do=advice)
    if version < OLDEST_JAVA:
        raise MissingExtra(f"is Java {version}, too old for Spark", where=java, do=advice)
    return Path(java)


def java_version(version: str) -> int | None:
    """Return the main version out of what ``java -version`` says.

    >>> java_version('openjdk version "17.0.15" 2025-04-15'), java_version('java version "1.8.0_392"')
    (17, 8)
    """
    match = re.search(r'version "(?:1\.)?(\d+)', version)
    return int(match[1]) if match else None


def megabytes(memory: str) -> int:
    """Return a memory setting in megabytes, at least what Spark needs to start.

    >>> megabytes("4GB"), megabytes("1500 MiB"), megabytes("64MB")
    (4096, 1500, 512)
    """
    amount = float(re.split(r"[^\d.]", memory, maxsplit=1)[0])
    if memory.endswith("%"):
        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024 / 1024
        return max(_LEAST_MEMORY, int(whole * amount / 100))
    unit = memory.strip().lower().rstrip("ib")[-1]
    return max(_LEAST_MEMORY, int(amount * _UNITS[unit]))


def _started(settings: Settings) -> _Running:
    from pyspark import SparkContext

    if SparkContext._active_spark_context is not None:
        raise UsageError(
            "Spark is already running in this process, with somebody else's settings",
            do="hand its session over: SparkEngine(session=spark)",
        )
    require_java()
    with contextlib.ExitStack() as exit_:
        spill = exit_.enter_context(journalled(spill_folder(settings.spill), settings.state))
        try:
            spill.mkdir(mode=0o700)
        except OSError as error:
            raise OutputError(
                f"cannot be used for spilled data ({error.strerror})",
                where=str(spill.parent),
                do="set --spill or TACITA_SPILL to a folder that you can write to",
            ) from None
        session, process = _launched(settings, spill.absolute(), exit_)
        return _Running(session, exit_.pop_all(), process)


def _launched(
    settings: Settings, spill: Path, exit_: contextlib.ExitStack
) -> tuple[SparkSession, subprocess.Popen[bytes]]:
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    conf = SparkConf(loadDefaults=False).setAll(list(_configuration(settings, spill).items()))
    printed = exit_.enter_context((spill / "java.log").open("wb"))
    failed = ""
    with _environment():
        try:
            gateway = launch_gateway(conf, {"stdout": printed, "stderr": printed})  # type: ignore[no-untyped-call]
            exit_.callback(_ended, gateway)
            context = SparkContext(conf=conf, gateway=gateway)
        except Exception as error:  # py4j raises what Java raised: any kind
            failed = type(error).__name__
    if failed:
        raise TacitaError(
            f"Spark did not start ({failed})",
            do=f"see that Java {OLDEST_JAVA} runs and that --memory is not more than this machine has",
        )
    exit_.callback(_stopped, context)
    return SparkSession(context), gateway.proc


def _configuration(settings: Settings, spill: Path) -> dict[str, str]:
    return {
        "spark.app.name": "tacita",
        "spark.master": f"local[{settings.threads}]",
        "spark.driver.memory": f"{megabytes(settings.memory)}m",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": f"-Djava.io.tmpdir={spill}",
        "spark.local.dir": str(spill),
        "spark.sql.warehouse.dir": str(spill / "warehouse"),
        "spark.sql.catalogImplementation": "in-memory",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.eventLog.enabled": "false",
        "spark.log.level": "OFF",
        # What happened is kept for a page that nobody can open.
        "spark.ui.retainedJobs": "5",
        "spark.ui.retainedStages": "5",
        "spark.ui.retainedTasks": "100",
        "spark.sql.ui.retainedExecutions": "5",
    }


@contextlib.contextmanager
def _environment() -> Iterator[None]:
    """Let PySpark see this interpreter and no folder but ours, while it starts."""
    changed = {
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "SPARK_LOCAL_DIRS": None,
        "PYSPARK_SUBMIT_ARGS": None,
    }
    before = {name: os.environ.get(name) for name in changed}
    _set(changed)
    try:
        yield
    finally:
        _set(before)


def _set(values: dict[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _stopped(context: SparkContext) -> None:
    """Stop Spark; if it is dead already, let PySpark know."""
    with contextlib.suppress(Exception):
        context.stop()
    if type(context)._active_spark_context is context:
        type(context)._active_spark_context = None


def _ended(gateway: Any) -> None:
    """End Java: its memory holds data, and it would go on writing to a folder that is about to be removed."""
    from pyspark import SparkContext

    with contextlib.suppress(Exception):
        gateway.shutdown()
    if SparkContext._gateway is gateway:
        SparkContext._gateway = None
        SparkContext._jvm = None
    process = gateway.proc
    with contextlib.suppress(OSError):
        process.stdin.close()  # Java ends by itself when nobody can talk to it
    try:
        process.wait(_STOPPING)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
