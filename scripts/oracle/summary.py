"""memory_summary of PyTorch for made-up statistics: python scripts/oracle/summary.py > tests/fixtures/memory-summary.json

The statistics need no device: memory_summary reads them through memory_stats, which is replaced here.
"""

import json
import sys

# Not this folder: its random.py would hide Python's.
sys.path.pop(0)

import random  # noqa: E402

import torch.cuda.memory as memory  # noqa: E402

FIGURES = [
    "allocated_bytes",
    "active_bytes",
    "requested_bytes",
    "reserved_bytes",
    "inactive_split_bytes",
    "allocation",
    "active",
    "segment",
    "inactive_split",
]
POOLS = ["all", "large_pool", "small_pool"]
METRICS = ["current", "peak", "allocated", "freed"]


def statistics(seed):
    generator = random.Random(seed)

    def value(figure):
        top = 50 if figure.endswith("bytes") else 31
        return int(2 ** (generator.random() * top)) - 1

    stats = {}
    for figure in FIGURES:
        for metric in METRICS:
            large, small = value(figure), value(figure)
            stats[f"{figure}.large_pool.{metric}"] = large
            stats[f"{figure}.small_pool.{metric}"] = small
            stats[f"{figure}.all.{metric}"] = large + small
    for figure in ["oversize_allocations", "oversize_segments"]:
        for metric in METRICS:
            stats[f"{figure}.{metric}"] = value(figure)
    stats["num_ooms"] = value("num_ooms")
    stats["num_alloc_retries"] = generator.randrange(10_000_000)
    return stats


def main():
    memory._get_device_index = lambda device, optional: device
    cases = []
    for seed in range(6):
        stats = statistics(seed)
        memory.memory_stats = lambda device: stats  # noqa: B023
        texts = [memory.memory_summary(seed, abbreviated) for abbreviated in (False, True)]
        cases.append({"index": seed, "statistics": stats, "full": texts[0], "abbreviated": texts[1]})
    print(json.dumps(cases, indent=1))


main()
