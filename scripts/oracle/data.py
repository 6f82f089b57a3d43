"""Records the order in which PyTorch's DataLoader, samplers and random_split take samples, for given seeds."""
import json
import sys
from pathlib import Path

import torch
from torch.utils.data import DataLoader, RandomSampler, SubsetRandomSampler, TensorDataset, random_split


def batches(loader):
    return [batch[0].tolist() for batch in loader]


def record():
    out = {"torch": torch.__version__, "cases": {}}
    data = TensorDataset(torch.arange(23))
    torch.manual_seed(7)
    out["cases"]["two shuffled epochs"] = [batches(DataLoader(data, batch_size=5, shuffle=True)) for _ in range(2)]
    out["cases"]["the generator afterwards"] = torch.rand(3, dtype=torch.float64).tolist()
    generator = torch.Generator().manual_seed(3)
    loader = DataLoader(data, batch_size=4, shuffle=True, drop_last=True, generator=generator)
    out["cases"]["own generator, drop_last"] = [batches(loader) for _ in range(2)]
    torch.manual_seed(1)
    out["cases"]["in order"] = batches(DataLoader(data, batch_size=10))
    out["cases"]["after in order"] = torch.rand(2, dtype=torch.float64).tolist()
    generator = torch.Generator().manual_seed(5)
    out["cases"]["replacement"] = list(RandomSampler(range(9), replacement=True, num_samples=40, generator=generator))
    torch.manual_seed(2)
    out["cases"]["more samples than there are"] = list(RandomSampler(range(6), num_samples=15))
    out["cases"]["subset"] = list(SubsetRandomSampler([2, 3, 5, 7, 11]))
    torch.manual_seed(4)
    out["cases"]["random_split"] = [list(part.indices) for part in random_split(range(17), [10, 4, 3])]
    out["cases"]["random_split by fractions"] = [list(part.indices) for part in random_split(range(17), [0.5, 0.3, 0.2])]
    return out


if __name__ == "__main__":
    target = Path(__file__).parents[2] / "tests" / "fixtures" / "data.json"
    target.write_text(json.dumps(record()) + "\n")
    print(f"wrote {target.name}", file=sys.stderr)
