"""A session of Spark for tests: on this machine, with as little of everything as it works with."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def session(master="local[2,4]", **settings):
    """Start a session, or skip where there is no Java; tasks are tried four times, as on a cluster."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java 17, which is not installed")
    from pyspark.sql import SparkSession

    # Tasks of tests are sent by their names, and workers must find these.
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(Path(__file__).parent)}
    small = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.log.level": "OFF",
        "spark.executorEnv.OMP_NUM_THREADS": "1",
        **settings,
    }
    builder = SparkSession.builder.master(master).appName("microagg tests")
    for name, value in small.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()
