"""Records the order in which PyTorch's DataLoader, samplers and random_split take samples, for given seeds."""
import json
import sys
from pathlib import Path

import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler, IterableDataset, RandomSampler, SubsetRandomSampler, TensorDataset, WeightedRandomSampler, random_split


def batches(loader):
    return [batch[0].tolist() for batch in loader]


class Noise(Dataset):
    """Random numbers beside the position, which tell the seed of the worker."""

    def __len__(self):
        return 11

    def __getitem__(self, index):
        return torch.rand(()).item(), index


class Stream(IterableDataset):
    """Each worker counts up to a limit of its own."""

    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        return iter(range(100 * info.id, 100 * info.id + 3 + 4 * info.id))


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
    torch.manual_seed(6)
    out["cases"]["weighted"] = list(WeightedRandomSampler([0.1, 3.0, 0.4, 0.7, 2.0], 12))
    out["cases"]["weighted, each once"] = list(WeightedRandomSampler([0.1, 3.0, 0.4, 0.7, 2.0], 4, replacement=False))
    out["cases"]["weighted, own generator"] = list(WeightedRandomSampler(torch.tensor([1.0, 2.0]), 9, True, torch.Generator().manual_seed(1)))
    out["cases"]["distributed"] = {}
    for rank in range(3):
        for options in ({}, {"shuffle": False}, {"seed": 5}, {"drop_last": True}, {"shuffle": False, "drop_last": True}):
            sampler = DistributedSampler(range(11), 3, rank, **options)
            epochs = []
            for epoch in range(2):
                sampler.set_epoch(epoch)
                epochs.append(list(sampler))
            out["cases"]["distributed"][f"{rank} {json.dumps(options)}"] = epochs
    out["cases"]["distributed, few samples"] = [list(DistributedSampler(range(2), 7, rank)) for rank in range(7)]
    torch.manual_seed(8)
    loader = DataLoader(Noise(), batch_size=3, shuffle=True, num_workers=2, persistent_workers=True)
    out["cases"]["two workers"] = [[[x.float().tolist() for x in batch] for batch in loader] for _ in range(2)]
    out["cases"]["two workers, afterwards"] = torch.rand(2, dtype=torch.float64).tolist()
    out["cases"]["iterable, three workers"] = [x.tolist() for x in DataLoader(Stream(), batch_size=2, num_workers=3)]
    out["cases"]["iterable, drop_last"] = [x.tolist() for x in DataLoader(Stream(), batch_size=2, num_workers=3, drop_last=True)]
    return out


if __name__ == "__main__":
    target = Path(__file__).parents[2] / "tests" / "fixtures" / "data.json"
    target.write_text(json.dumps(record()) + "\n")
    print(f"wrote {target.name}", file=sys.stderr)
