"""What the package safetensors (0.8) writes, reads and refuses: python scripts/oracle/safetensors_files.py. Needs the package."""

import json
import sys
import tempfile
import warnings
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])

import safetensors  # noqa: E402
import torch  # noqa: E402
from safetensors.torch import load, load_file, load_model, save, save_model  # noqa: E402
from torch import nn  # noqa: E402

from oracle.checkpoints import DTYPES, FOLDER, b64, describe  # noqa: E402


def samples():
    yield "dtypes", {str(d)[6:]: torch.tensor([0, 1, 3], dtype=d) for d in DTYPES}, None
    yield "names", {"b": torch.ones(2), "a.10": torch.ones(1), "a.2": torch.zeros(2, 0), "\u00fc\U0001f600": torch.tensor(2.5), 'quo"te\n': torch.ones(1, 1), "10": torch.ones(1), "2": torch.ones(1)}, {"format": "\u00fc"}  # of several keys the package writes any order
    yield "empty", {}, None
    yield "only metadata", {}, {"a": "b"}
    x = torch.arange(8.0)
    yield "parts of one storage", {"first": x[:4], "second": x[4:]}, None


def with_header(header, body=bytes(8)):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


def files():
    f32 = lambda **more: {"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8], **more}}  # noqa: E731
    raw = save({"a": torch.ones(3)})
    yield "empty file", b""
    yield "four bytes", raw[:4]
    yield "header too large", b"\xff" * 8 + b"{}"
    yield "header longer than the file", (10).to_bytes(8, "little") + b"{}"
    yield "no JSON", with_header(b"xx", b"")
    yield "a list", with_header(b"[1]", b"")
    yield "no UTF-8", with_header(b'{"\xff":1}', b"")
    yield "cut off", raw[:-1]
    yield "too long", raw + b"x"
    yield "another shape", with_header(f32(shape=[3]))
    yield "a gap", with_header({"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}})
    yield "backwards", with_header({"a": {"dtype": "F32", "shape": [1], "data_offsets": [8, 4]}})
    yield "overlap", with_header({"a": f32()["a"], "b": f32()["a"]})
    yield "negative", with_header(f32(shape=[-2]))
    yield "no offsets", with_header({"a": {"dtype": "F32", "shape": [2]}})
    yield "overflow", with_header(f32(shape=[2**40, 2**40]))
    yield "unknown dtype", with_header(f32(dtype="X"))
    yield "metadata of numbers", with_header({"__metadata__": {"a": 1}}, b"")


def said(run):
    try:
        run()
    except Exception as error:
        # The order of a set is another one in every run.
        return {"type": type(error).__name__, "text": str(error).replace("{'b', 'a'}", "{'a', 'b'}")}
    raise AssertionError("no error")


def models(folder):
    torch.manual_seed(1)
    tied = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    tied[1].weight = tied[0].weight
    path = folder / "tied.safetensors"
    save_model(tied, path)
    missing, unexpected = load_model(tied, path)
    return {
        "tied": {"file": b64(path.read_bytes()), "state": describe(tied.state_dict(), {}), "missing": sorted(missing), "unexpected": sorted(unexpected)},
        "untied": said(lambda: load_model(nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2)), path)),
        "another": said(lambda: load_model(nn.Linear(2, 2), path)),
    }


def main():
    warnings.simplefilter("ignore")
    x = torch.ones(4)
    out = {
        "safetensors": safetensors.__version__,
        "files": [{"name": n, "value": describe(t, {}), "metadata": m, "file": b64(save(t, m)), "loaded": describe(dict(sorted(load(save(t, m)).items())), {})} for n, t, m in samples()],
        "damaged": [{"name": n, "file": b64(raw), **said(lambda raw=raw: load(raw))} for n, raw in files()],
        "refused": {
            "shared": said(lambda: save({"a": x, "b": x})),
            "not contiguous": said(lambda: save({"a": torch.ones(2, 3).t()})),
            "a list": said(lambda: save([x])),
            "a number": said(lambda: save({"a": 1})),
            "meta": said(lambda: save({"a": torch.ones(2, device="meta")})),
            "metadata": said(lambda: save({"a": x}, {"k": 1})),
        },
    }
    with tempfile.TemporaryDirectory() as folder:
        out["models"] = models(Path(folder))
    (FOLDER / "safetensors.json").write_text(json.dumps(out) + "\n")


main()
