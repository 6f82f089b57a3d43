"""Records every fixture under tests/fixtures from PyTorch (2.13, CPU): python scripts/oracle/record.py [family …]."""

import importlib
import sys
import warnings
from pathlib import Path

# Not this folder itself: its random.py would hide Python's.
sys.path[0] = str(Path(__file__).resolve().parents[1])

import torch  # noqa: E402

FAMILIES = [
    "pointwise", "promotion", "reductions", "views", "matmuls", "indexing", "functional", "creation", "inplace", "errors", "reprs", "trajectories", "fast_paths", "modules",
    "memory", "fuzz",
    "rearranging", "placing", "sorting", "reducing", "products", "distributions", "array_programs",
    "printing", "first_hour",
    "images", "image_layers", "elementary", "activations", "layers", "losses_more", "distances", "optimizers", "lbfgs", "signatures", "attention", "networks", "training", "nn_utils", "autocast", "mixed_precision", "everyday", "every_dtype",
]


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    total = 0
    for name in sys.argv[1:] or FAMILIES:
        for family in importlib.import_module(f"oracle.{name}").record():
            size, cases = family.write()
            total += size
            print(f"{family.name:20} {cases:6} cases {size / 1024:9.0f} KiB")
    print(f"{total / 2**20:.2f} MiB")


main()
