"""Names of PyTorch's device namespaces, and what streams and events answer to odd arguments, without an accelerator:
python scripts/oracle/devices.py > tests/fixtures/devices.json

A case is a call in a form that both languages share: what it is called on, its name, its arguments (`@name` is one of the
objects made first), keyword arguments; and the error's type and text, or the repr of the result.
"""

import json
import sys

# Not this folder: its random.py would hide Python's.
sys.path.pop(0)

import torch  # noqa: E402

OBJECTS = {
    "stream": torch.Stream("cpu"),
    "event": torch.Event("cpu"),
    "timed": torch.Event("cpu", enable_timing=True),
    "torch": torch,
    "mtia": torch.mtia,
    "accelerator": torch.accelerator,
}
CALLS = [
    ("torch", "Stream", ["cpu"], {}),
    ("torch", "Stream", ["cpu"], {"priority": 3}),
    ("torch", "Stream", [], {"foo": 3}),
    ("torch", "Stream", [], {"stream_id": 3}),
    ("torch", "Stream", [[3]], {}),
    ("torch", "Stream", ["foo"], {}),
    ("torch", "Stream", ["cuda"], {}),
    ("torch", "Event", ["cpu"], {}),
    ("torch", "Event", ["cpu"], {"enable_timing": True}),
    ("torch", "Event", ["cpu"], {"enable_timing": 3}),
    ("torch", "Event", ["cpu"], {"blocking": "x"}),
    ("torch", "Event", ["cpu"], {"foo": 3}),
    ("stream", "query", [], {}),
    ("stream", "synchronize", [], {}),
    ("stream", "is_capturing", [], {}),
    ("stream", "record_event", [], {}),
    ("stream", "wait_event", ["@event"], {}),
    ("stream", "wait_stream", ["@stream"], {}),
    ("event", "query", [], {}),
    ("event", "wait", [], {}),
    ("event", "wait", ["@stream"], {}),
    ("event", "synchronize", [], {}),
    ("event", "record", [], {}),
    ("event", "record", ["@stream"], {}),
    ("event", "elapsed_time", ["@event"], {}),
    ("event", "elapsed_time", ["@timed"], {}),
    ("timed", "elapsed_time", ["@timed"], {}),
    ("timed", "elapsed_time", [3], {}),
    ("timed", "ipc_handle", [], {}),
    ("mtia", "set_device", ["mtia"], {}),
    ("mtia", "set_device", [None], {}),
    ("mtia", "set_device", ["cpu"], {}),
    ("mtia", "set_device", ["cuda:0"], {}),
    ("mtia", "set_device", [3.5], {}),
    ("mtia", "device", ["cpu"], {}),
    ("mtia", "_exchange_device", [-1], {}),
    ("mtia", "_maybe_exchange_device", [-1], {}),
    ("mtia", "manual_seed", ["x"], {}),
    ("mtia", "manual_seed", [None], {}),
    ("mtia", "is_bf16_supported", [], {}),
    ("mtia", "_is_in_bad_fork", [], {}),
    ("accelerator", "set_device_index", [None], {}),
]


def case(on, name, args, kwargs):
    given = [OBJECTS[a[1:]] if isinstance(a, str) and a.startswith("@") else a for a in args]
    record = {"on": on, "name": name, "args": args, "kwargs": kwargs}
    try:
        return record | {"result": repr(getattr(OBJECTS[on], name)(*given, **kwargs))}
    except Exception as error:  # noqa: BLE001
        return record | {"error": [type(error).__name__, str(error)]}


def public(space):
    return [name for name in dir(space) if not name.startswith("_")]


def main():
    names = {
        "mtia": torch.mtia.__all__,
        "mtia.memory": torch.mtia.memory.__all__,
        "accelerator": torch.accelerator.__all__,
        "accelerator.memory": torch.accelerator.memory.__all__,
        "Stream": public(torch.Stream),
        "Event": public(torch.Event),
    }
    json.dump({"torch": torch.__version__, "names": names, "cases": [case(*call) for call in CALLS]}, sys.stdout, indent=1)
    print()


main()
