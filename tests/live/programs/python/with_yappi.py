"""Profiles work.main with yappi, in two threads.

Usage: with_yappi.py PROFILE

Prints yappi's own figures as one line of JSON, with times in whole microseconds.
"""
import json
import sys
import threading

import yappi

import work


def microseconds(seconds):
    return int(seconds * 1e6)


def place(stat):
    return [stat.module, f"{stat.name} {stat.module}:{stat.lineno}"]


yappi.set_clock_type("cpu")
yappi.start(builtins=True)
work.main()
thread = threading.Thread(target=work.main)
thread.start()
thread.join()
yappi.stop()
stats = yappi.get_func_stats()
stats.save(sys.argv[1], "callgrind")

functions = []
edges = []
for stat in stats:
    functions.append({
        "place": place(stat),
        "line": stat.lineno,
        "calls": stat.ncall,
        "self": microseconds(stat.tsub),
        "inclusive": microseconds(stat.ttot),
    })
    for child in stat.children:
        edges.append({
            "caller": place(stat),
            "callee": place(child),
            "calls": child.ncall,
            "cost": microseconds(child.ttot),
        })
print(json.dumps({"functions": functions, "edges": edges}))
