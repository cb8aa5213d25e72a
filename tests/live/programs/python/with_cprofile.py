"""Profiles work.main with cProfile and converts it with pyprof2calltree.

Usage: with_cprofile.py PROFILE RAW_PROFILE

Converts pstats' statistics and the profiler's own entries, and prints pstats' figures as one line
of JSON, with times in whole nanoseconds.
"""
import cProfile
import json
import pstats
import sys

import pyprof2calltree

import work


def nanoseconds(seconds):
    return int(seconds * 1e9)


def place(key):
    file, _, name = key
    return [file, name]


profile = cProfile.Profile()
profile.runcall(work.main)
stats = pstats.Stats(profile)
pyprof2calltree.convert(stats, sys.argv[1])
pyprof2calltree.convert(profile.getstats(), sys.argv[2])

functions = []
edges = []
for key, (_, calls, self_time, inclusive, callers) in stats.stats.items():
    functions.append({
        "place": place(key),
        "line": key[1],
        "calls": calls,
        "self": nanoseconds(self_time),
        "inclusive": nanoseconds(inclusive),
    })
    for caller, (calls, _, _, inclusive) in callers.items():
        edges.append({
            "caller": place(caller),
            "callee": place(key),
            "calls": calls,
            "cost": nanoseconds(inclusive),
        })
print(json.dumps({"functions": functions, "edges": edges}))
