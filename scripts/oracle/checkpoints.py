"""Files of torch.save (today's format and the one before 1.6), what is in them, and what PyTorch says of damaged or hostile ones: python scripts/oracle/checkpoints.py

Writes tests/fixtures/checkpoints. With `ours` it shows PyTorch the files that checkpoints.mjs has written, and compares what it finds with ours.json.
"""

import base64
import collections
import io
import json
import struct
import sys
import warnings
import zipfile
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])

import torch  # noqa: E402
from torch import nn  # noqa: E402

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "checkpoints"
DTYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool]


def b64(data):
    return base64.b64encode(bytes(data)).decode("ascii")


def describe(value, storages):
    """A value as data. Tensors over one storage have the same number."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return {"int": str(value)}
    if isinstance(value, float):
        return {"float": b64(struct.pack(">d", value))}
    if isinstance(value, torch.Tensor):
        out = {"dtype": str(value.dtype)[6:], "shape": list(value.shape), "strides": list(value.stride()), "offset": value.storage_offset(), "grad": value.requires_grad, "parameter": isinstance(value, nn.Parameter), "device": str(value.device)}
        if value.device.type != "meta":
            if value.numel() > 0:
                out["storage"] = storages.setdefault(value.untyped_storage().data_ptr(), len(storages))
            out["data"] = b64(value.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy().tobytes()) if value.numel() else ""
        return {"tensor": out}
    if isinstance(value, torch.Size):
        return {"size": list(value)}
    if isinstance(value, tuple):
        return {"tuple": [describe(v, storages) for v in value]}
    if isinstance(value, list):
        return {"list": [describe(v, storages) for v in value]}
    if isinstance(value, dict):
        return {"dict": [[describe(k, storages), describe(v, storages)] for k, v in value.items()]}
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": b64(value)}
    if isinstance(value, set):
        return {"set": sorted((describe(v, storages) for v in value), key=str)}
    if isinstance(value, (torch.dtype, torch.device)):
        return {type(value).__name__: str(value).removeprefix("torch.")}
    raise TypeError(type(value))


def samples():
    """Objects by name."""
    torch.manual_seed(7)
    x = torch.arange(24, dtype=torch.float32).reshape(4, 6)
    yield "dtypes", {str(d)[6:]: torch.tensor([0, 1, 3, 100], dtype=d) for d in DTYPES}
    yield "views", {"base": x, "row": x[1], "transposed": x.t(), "strided": x[::2, 1::2], "twice": [x, x[2:]], "expanded": x[0, :1].expand(3, 2), "other": x.clone()}
    yield "shapes", [torch.tensor(2.5), torch.zeros(0), torch.zeros(2, 0, 3), torch.ones(1, 1, 1), torch.tensor(True), torch.empty(0, dtype=torch.int32)]
    yield "special", torch.tensor([float("nan"), float("inf"), -float("inf"), -0.0, 1e-45])
    yield "values", {
        "none": None, "true": True, "false": False, "ints": [0, 1, 255, 256, 65535, 65536, -1, -256, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**53 - 1, 2**53, -(2**63), 2**100],
        "floats": [0.5, -1.25, float("inf"), 1e300, 5e-324], "text": ["", "a", "\u00fc\u4e2d\U0001f600", "a" * 300], "bytes": [b"a", b"ab\xff\x00"], "tuple": (1, ("a", ()), (1, 2, 3, 4)), "empty": [[], {}, ()],
        "size": torch.Size([2, 3]), "dtype": [torch.float32, torch.bfloat16, torch.bool], "device": [torch.device("cpu"), torch.device("mtia", 1), torch.device("meta")], "set": {1, 2}, "bytearray": bytearray(b"xyz"),
    }  # fmt: skip
    yield "keys", {"strings": {"a": 1, "10": 2, "__proto__": 3}, "ints": {0: "a", 1: "b"}, "mixed": {1: "a", "1": "b"}, "tuples": {(1, 2): "a"}, "floats": {0.5: 1}, "none": {None: 1}, "counter": collections.Counter("aab"), "ordered": collections.OrderedDict(b=1, a=2)}
    yield "many", [list(range(2500)), {f"key{i}": i for i in range(2500)}]
    shared = [1, 2]
    yield "shared", {"a": shared, "b": shared}
    yield "gradients", {"leaf": torch.ones(2, requires_grad=True), "parameter": nn.Parameter(torch.ones(2, 2)), "frozen": nn.Parameter(torch.zeros(1), requires_grad=False)}
    yield "meta", torch.empty(2, 3, device="meta")
    tensor, parameter = torch.ones(2), nn.Parameter(torch.zeros(3))
    tensor.note, parameter.note = "a", "b"
    yield "attributes", [tensor, parameter]
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten(), nn.Linear(8, 3))
    yield "module", model.state_dict()
    tied = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    tied[1].weight = tied[0].weight
    yield "tied", tied.state_dict()
    for name, make in [
        ("sgd", lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9)),
        ("adam", lambda p: torch.optim.Adam(p, lr=0.01, amsgrad=True)),
        ("adamw", lambda p: torch.optim.AdamW(p, lr=0.01)),
    ]:
        net = nn.Linear(3, 2)
        opt = make(net.parameters())
        for _ in range(2):
            opt.zero_grad()
            net(torch.ones(4, 3)).pow(2).sum().backward()
            opt.step()
        yield name, {"model": net.state_dict(), "optimizer": opt.state_dict()}
    opt = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)
    schedulers = [torch.optim.lr_scheduler.StepLR(opt, 2), torch.optim.lr_scheduler.CosineAnnealingLR(opt, 10), torch.optim.lr_scheduler.ReduceLROnPlateau(opt), torch.optim.lr_scheduler.OneCycleLR(opt, 0.5, total_steps=10)]
    opt.step()
    states = []
    for s in schedulers:
        s.step(*([1.0] if isinstance(s, torch.optim.lr_scheduler.ReduceLROnPlateau) else []))
        states.append({k: v for k, v in s.state_dict().items() if not callable(v)})
    yield "schedulers", states


def saved(obj, **options):
    out = io.BytesIO()
    torch.save(obj, out, **options)
    return out.getvalue()


def rewritten(raw, change, compression=zipfile.ZIP_STORED):
    """The archive with other records: change(name, data) gives what is written in their place, or None."""
    out = io.BytesIO()
    source = zipfile.ZipFile(io.BytesIO(raw))
    with zipfile.ZipFile(out, "w", compression) as target:
        for info in source.infolist():
            new = change(info.filename, source.read(info.filename))
            if new is not None:
                target.writestr(zipfile.ZipInfo(info.filename) if compression == zipfile.ZIP_STORED else info.filename, new)
    return out.getvalue()


def big_endian(raw, itemsize):
    def change(name, data):
        if name.endswith("byteorder"):
            return b"big"
        if "/data/" in name:
            return b"".join(data[i : i + itemsize][::-1] for i in range(0, len(data), itemsize))
        return data

    return rewritten(raw, change)


def files():
    """(name, bytes, options of torch.load)"""
    for name, obj in samples():
        yield name, saved(obj), {}
        if name not in ("many", "meta"):
            yield f"{name}-legacy", saved(obj, _use_new_zipfile_serialization=False), {}
    x = {"x": torch.arange(300, dtype=torch.float32).view(30, 10)}
    torch.serialization.set_crc32_options(False)
    yield "without-checksums", saved(x), {}
    torch.serialization.set_crc32_options(True)
    yield "without-byteorder", saved(x, _disable_byteorder_record=True), {}
    yield "big-endian", big_endian(saved(x), 4), {}
    yield "big-endian-int16", big_endian(saved(torch.tensor([1, 2, 300], dtype=torch.int16)), 2), {}
    yield "compressed", rewritten(saved(x), lambda name, data: data, zipfile.ZIP_DEFLATED), {}
    for protocol in (3, 4, 5):
        yield f"protocol-{protocol}", saved({"a": x["x"], "b": [1, b"xy", 2**70], "c": {1, 2}}, pickle_protocol=protocol), {"weights_only": False}


def unsupported():
    """(name, what the error has to name, bytes): in PyTorch, and not here."""
    with torch.no_grad():
        yield "complex tensor", "ComplexFloatStorage", saved(torch.ones(2, dtype=torch.complex64))
        yield "complex number", "complex", saved({"z": 1 + 2j})
        yield "uint16", "uint16", saved(torch.ones(2, dtype=torch.uint16))
        yield "float8", "float8_e4m3fn", saved(torch.ones(2).to(torch.float8_e4m3fn))
        yield "sparse", "_rebuild_sparse_tensor", saved(torch.eye(2).to_sparse())
        yield "layout", "_get_layout", saved([torch.strided])
        yield "storage", "torch.storage.UntypedStorage", saved(torch.ones(2).untyped_storage())
        yield "dtype", "torch.complex64", saved(torch.complex64)


def storage(key=b"0", type=b"ctorch\nFloatStorage\n", location=b"cpu", numel=b"K\x03"):
    return b"(X\x07\0\0\0storage" + type + b"X" + struct.pack("<I", len(key)) + key + b"X" + struct.pack("<I", len(location)) + location + numel + b"tQ"


def tensor(offset, size, stride, over=None):
    return b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(" + (over or storage()) + offset + size + stride + b"\x89ccollections\nOrderedDict\n)RtR."


ONE, THREE = b"K\x01\x85", b"K\x03\x85"

PICKLES = {
    "not an opcode": b"\x80\x02\xff.", "append to an int": b"\x80\x02K\1K\2a.", "extend an int": b"\x80\2K\1(K\2e.", "item of an int": b"\x80\2K\1K\2K\3s.", "items of an int": b"\x80\2K\1(K\2K\3u.",
    "append to a tuple": b"\x80\x02)K\2a.", "reduce an int": b"\x80\2K\1)R.", "build an int": b"\x80\2K\1}b.", "build a dict": b"\x80\2}}b.", "new object of an int": b"\x80\2K\1)\x81.", "persistent str": b"\x80\2X\1\0\0\0aQ.", "persistent other": b"\x80\2X\1\0\0\0a\x85Q.",
    "os.system": b"\x80\2cos\nsystem\n(X\4\0\0\0truetR.", "posix.system": b"\x80\2cposix\nsystem\n.", "eval": b"\x80\2c__builtin__\neval\n(X\1\0\0\x001tR.", "frozenset": b"\x80\2cbuiltins\nfrozenset\n.", "torch.foo": b"\x80\2ctorch\nfoo\n.", "a class of a program": b"\x80\2c__main__\nNet\n)\x81}b.",
    "numpy scalar": b"\x80\2cnumpy.core.multiarray\nscalar\n.", "LONG4": b"\x80\2\x8b\1\0\0\0\1.", "frame": b"\x80\4\x95\0\0\0\0\0\0\0\0K\1.",
    "unhashable key": b"\x80\2}]K\1s.", "unhashable dict": b"\x80\2}}K\1s.", "size of str": b"\x80\2ctorch\nSize\nX\1\0\0\0a\x85\x85R.", "device a": b"\x80\2ctorch\ndevice\nX\1\0\0\0a\x85R.",
    "negative stride": tensor(b"K\0", THREE, b"J\xff\xff\xff\xff\x85"), "negative size": tensor(b"K\0", b"J\xff\xff\xff\xff\x85", ONE), "negative offset": tensor(b"J\xff\xff\xff\xff", THREE, ONE), "strides of another length": tensor(b"K\0", THREE, b"K\1K\1\x86"),
    "unknown location": tensor(b"K\0", THREE, ONE, storage(location=b"xyz")), "cuda": tensor(b"K\0", THREE, ONE, storage(location=b"cuda:1")), "mps": tensor(b"K\0", THREE, ONE, storage(location=b"mps")), "xpu": tensor(b"K\0", THREE, ONE, storage(location=b"xpu:0")), "no such record": tensor(b"K\0", THREE, ONE, storage(key=b"7")),
    "another numel": tensor(b"K\0", THREE, ONE, storage(numel=b"K\x04")), "another dtype": tensor(b"K\0", THREE, ONE, storage(type=b"ctorch\nDoubleStorage\n")),
}  # fmt: skip


def errors():
    """(name, bytes, options)"""
    raw = saved(torch.arange(3.0))
    pickled = lambda p: rewritten(raw, lambda name, data: p if name.endswith("data.pkl") else data)  # noqa: E731
    replaced = lambda end, new: rewritten(raw, lambda name, data: new if name.endswith(end) else data)  # noqa: E731
    for name, p in PICKLES.items():
        yield name, pickled(p), {}
    yield "no storage", replaced("data/0", None), {}
    yield "short storage", replaced("data/0", b"12345678"), {}
    yield "no pickle", replaced("data.pkl", None), {}
    yield "byteorder middle", replaced("byteorder", b"middle"), {}
    yield "TorchScript", with_record(raw, "archive/constants.pkl", b"\x80\2)."), {}
    yield "garbage", b"garbage data here", {}
    yield "two letters", b"PK", {}
    yield "ten bytes of a zip", raw[:10], {}
    yield "half of a zip", raw[: len(raw) // 2], {}
    yield "mmap of bytes", raw, {"mmap": True}
    yield "mmap of the older format", saved(torch.ones(2), _use_new_zipfile_serialization=False), {"mmap": True}
    yield "to cuda", raw, {"map_location": "cuda"}
    yield "to xyz", raw, {"map_location": "xyz"}
    yield "magic number", b"\x80\2\x8a\1\1." + raw[:20], {}


def with_record(raw, name, data):
    out = io.BytesIO(rewritten(raw, lambda n, d: d))
    with zipfile.ZipFile(out, "a") as target:
        target.writestr(name, data)
    return out.getvalue()


def record():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.pt"):
        if not old.name.startswith("ours-"):
            old.unlink()
    expected = {}
    for name, raw, options in files():
        (FOLDER / f"{name}.pt").write_bytes(raw)
        expected[name] = {"options": options, "value": describe(torch.load(io.BytesIO(raw), **options), {})}
    said = []
    for name, raw, options in errors():
        try:
            torch.load(io.BytesIO(raw), **options)
        except Exception as error:
            said.append({"name": name, "file": b64(raw), "options": options, "type": type(error).__name__, "text": str(error)})
        else:
            raise AssertionError(f"{name} is no error")
    missing = [{"name": n, "names": w, "file": b64(raw)} for n, w, raw in unsupported()]
    (FOLDER / "unsupported.json").write_text(json.dumps(missing) + "\n")
    (FOLDER / "expected.json").write_text(json.dumps({"torch": torch.__version__, "files": expected}) + "\n")
    (FOLDER / "errors.json").write_text("[\n" + ",\n".join(json.dumps(e) for e in said) + "\n]\n")
    print(len(expected), "files,", len(said), "errors,", sum(f.stat().st_size for f in FOLDER.iterdir()) // 1024, "KiB")


def ours():
    expected = json.loads((FOLDER / "ours.json").read_text())
    for name, case in expected.items():
        value = torch.load(FOLDER / f"ours-{name}.pt", **case["options"])
        got = describe(value, {})
        if got != case["value"]:
            raise AssertionError(f"{name}: PyTorch has\n{got}\nexpected\n{case['value']}")
    print(f"PyTorch {torch.__version__} has read {len(expected)} files of ours")


warnings.simplefilter("ignore")
if __name__ == "__main__":
    ours() if sys.argv[1:] == ["ours"] else record()
