"""The PyTorch side of the benchmark. A tool, not a test: nothing depends on its presence.

Reads one JSON request a line, {"row": name, "repeat": n}, and answers with the seconds that n repetitions took.
The first line it writes says which PyTorch this is. Two threads, as on our side.
"""
import json
import sys
import time

import torch

torch.set_num_threads(2)


def matmul_1024():
    a, b = torch.randn(1024, 1024), torch.randn(1024, 1024)
    return lambda: torch.matmul(a, b)


def add_10():
    a, b = torch.randn(10), torch.randn(10)
    return lambda: torch.add(a, b)


def training_step():
    model = torch.nn.Linear(10, 5)
    x, target = torch.randn(3, 10), torch.randn(3, 5)
    criterion = torch.nn.MSELoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def step():
        optimizer.zero_grad()
        loss = criterion(model(x), target)
        loss.backward()
        optimizer.step()

    return step


ROWS = {"matmul 1024": matmul_1024, "add of 10": add_10, "training step": training_step}


def main():
    print(json.dumps({"version": torch.__version__}), flush=True)
    prepared = {}
    for line in sys.stdin:
        request = json.loads(line)
        name = request["row"]
        if name not in prepared:
            prepared[name] = ROWS[name]()
        work = prepared[name]
        start = time.perf_counter()
        for _ in range(request["repeat"]):
            work()
        print(json.dumps({"seconds": time.perf_counter() - start}), flush=True)


main()
