"""Sums up the profiles of a directory on a Spark cluster.

    spark-submit spark.py FOLDER OUTPUT

The program cg-preprocess must be on every worker.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession


def sums(profiles):
    """Merge some profiles. Takes and returns bytes."""
    with tempfile.TemporaryDirectory() as directory:
        paths = []
        for number, profile in enumerate(profiles):
            paths.append(Path(directory, str(number)))
            paths[-1].write_bytes(profile)
        if not paths:
            return []
        command = ["cg-preprocess", "-q", "-f", "callgrind", *paths]
        return [subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout]


def merge(spark, profiles):
    """Merge all profiles of a directory into one."""
    files = spark.sparkContext.binaryFiles(profiles)
    return (
        files.values()
        .mapPartitions(sums)
        .treeReduce(lambda one, other: sums([one, other])[0])
    )


if __name__ == "__main__":
    profiles, output = sys.argv[1:]
    spark = SparkSession.builder.appName("profiles").getOrCreate()
    Path(output).write_bytes(merge(spark, profiles))
    spark.stop()
