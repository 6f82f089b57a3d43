"""Shows our snapshots to PyTorch's own viewer and makes snapshots as PyTorch writes them: python scripts/oracle/snapshots.py

Needs PyTorch 2.13 and node; writes tests/fixtures/snapshots. `--pickler` also compiles a few lines of C++ that write
pickler.pickle with torch::jit::Pickler, as `_memory_snapshot_pickled` does.
"""

import base64
import contextlib
import io
import json
import pickle
import pickletools
import subprocess
import sys
from collections import OrderedDict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests/fixtures/snapshots"
sys.path.pop(0)

from torch.cuda import _memory_viz as viz  # noqa: E402


def plain(value):
    """As JSON would have it."""
    return json.loads(json.dumps(value))


def look(name):
    data = (FOLDER / f"{name}.pickle").read_bytes()
    snapshot = pickle.loads(data)
    lines = lambda text: text  # noqa: E731, in place of the flame graph script
    html = viz.trace_plot(snapshot)
    embedded = json.loads(html.split("const local_files = ")[1].split("\n")[0])[0]["base64"]
    return {
        "opcodes": sorted({op.name for op, _, _ in pickletools.genops(data)}),
        "trace": viz.trace(snapshot),
        "segments": viz.segments(snapshot, format_flamegraph=lines),
        "memory": viz.memory(snapshot, format_flamegraph=lines),
        "stats": viz.segsum(snapshot),
        "plots": pickle.loads(base64.b64decode(embedded)) == snapshot and "Active Cached" in viz.trace_plot(snapshot, plot_segments=True),
        "unfreed": [len(trace) for trace in viz.filter_alloc_free_pairs(pickle.loads(data))["device_traces"]],
    }


def compare(before, after):
    read = lambda name: pickle.loads((FOLDER / f"{name}.pickle").read_bytes())["segments"]  # noqa: E731
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        flames = viz.compare(read(before), read(after), format_flamegraph=lambda text: text)
    return {"printed": printed.getvalue(), "flames": flames}


def theirs():
    """A snapshot as torch.cuda.memory._snapshot() returns it: frames shared between stacks, stacks between events."""
    frames = [{"name": f"fn_{i}", "filename": f"/src/модель/layer{i % 3}.py", "line": i * 1000} for i in range(6)]
    stacks = [[frames[(i + j) % 6] for j in range(2 + i)] for i in range(4)]
    base = 0x7F3A_0000_0000
    trace = []

    def event(action, addr, size, stack, stream=0):
        entry = {"action": action, ("device_free" if action == "oom" else "addr"): addr, "size": size, "stream": stream}
        entry["time_us"] = 1_700_000_000_000_000 + 37 * len(trace)
        entry["compile_context"] = "N/A" if len(trace) % 2 else "Torch-Compiled Region: 0/0"
        entry["user_metadata"] = ""
        entry["pool_id"] = (0, 0)
        if stack is not None:
            entry["frames"] = stack
        trace.append(entry)

    event("segment_alloc", base, 20971520, stacks[0])
    event("alloc", base, 3_000_000, stacks[0])
    event("alloc", base + 3_000_320, 5_000_000_000, stacks[1], stream=0x5581_2345_6780)
    event("free_requested", base + 3_000_320, 5_000_000_000, stacks[2])
    event("free_completed", base + 3_000_320, 5_000_000_000, stacks[2])
    event("oom", 123_456_789, 42_949_672_960, stacks[3])
    event("snapshot", 0, 3_000_320, None)
    block = lambda address, size, requested, state, frames: {  # noqa: E731
        "address": address, "size": size, "requested_size": requested, "state": state, "frames": frames,
    }
    return {
        "segments": [{
            "device": 0, "address": base, "total_size": 20971520, "allocated_size": 3_000_320, "active_size": 3_000_320,
            "requested_size": 3_000_000, "stream": 0, "segment_type": "large", "segment_pool_id": (0, 0),
            "is_expandable": False, "frames": stacks[0],
            "blocks": [
                block(base, 3_000_320, 3_000_000, "active_allocated", stacks[0]),
                block(base + 3_000_320, 20971520 - 3_000_320, 5_000_000, "inactive", []),
            ],
        }],
        "device_traces": [trace, [], [dict(trace[0], addr=2 * base)]],
        "allocator_settings": {
            "PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1, "garbage_collection_threshold": 0.0,
            "expandable_segments": False, "pinned_num_register_threads": 1, "release_lock_on_cudamalloc": False,
            "pinned_use_cuda_host_register": False, "roundup_power2_divisions": {str(2**i): 0 for i in range(16)},
        },
        "external_annotations": [{"name": "ProfilerStep#1", "stage": "START", "device": 0, "time_us": 1_700_000_000_000_001}],
    }  # fmt: skip


def old(snapshot):
    """The layout of PyTorch 1.13: what was allocated in a block is its history."""
    segments = []
    for segment in snapshot["segments"]:
        blocks = []
        for block in segment["blocks"]:
            entry = {"size": block["size"], "state": block["state"]}
            if block["state"] != "inactive":
                entry["history"] = [
                    {"addr": block["address"], "frames": block["frames"], "real_size": block["requested_size"]}
                ]
            blocks.append(entry)
        keys = ["device", "address", "total_size", "allocated_size", "active_size", "stream", "segment_type"]
        segments.append({**{key: segment[key] for key in keys}, "blocks": blocks})
    keys = ["action", "addr", "device_free", "size", "stream", "frames"]
    traces = [[{key: entry[key] for key in keys if key in entry} for entry in trace] for trace in snapshot["device_traces"]]
    return {"segments": segments, "device_traces": traces}


def write_theirs():
    snapshot = theirs()
    for protocol in range(2, 6):
        (FOLDER / f"protocol-{protocol}.pickle").write_bytes(pickle.dumps(snapshot, protocol))
    (FOLDER / "old.pickle").write_bytes(pickle.dumps(old(snapshot), 3))
    (FOLDER / "theirs.json").write_text(json.dumps(snapshot))
    (FOLDER / "old.json").write_text(json.dumps(old(snapshot), indent=1))
    # memory_snapshot() is the segments alone; XPU's streams are pointers; whoever edits snapshots may bring an OrderedDict.
    (FOLDER / "segments.pickle").write_bytes(pickle.dumps(snapshot["segments"]))
    (FOLDER / "ordered.pickle").write_bytes(pickle.dumps(OrderedDict(snapshot)))


PICKLER = """
#include <fstream>
#include <torch/csrc/jit/serialization/pickler.h>
using c10::IValue;
static c10::Dict<IValue, IValue> dict() { return c10::Dict<IValue, IValue>(c10::AnyType::get(), c10::AnyType::get()); }
static c10::List<IValue> list() { return c10::List<IValue>(c10::AnyType::get()); }
int main(int, char** argv) {
  auto frame = dict();
  frame.insert("name", "forward"); frame.insert("filename", "model.py"); frame.insert("line", int64_t(7));
  auto frames = list(); frames.push_back(frame); frames.push_back(frame);
  auto segments = list(), traces = list(), trace = list(), blocks = list();
  auto segment = dict(), block = dict();
  const int64_t address = 0x7f3a00000000;
  for (int i = 0; i < 3; i++) {
    auto entry = dict();
    entry.insert("action", i == 0 ? "segment_alloc" : "alloc");
    entry.insert("addr", address + (i == 2 ? 1048576 : 0));
    entry.insert("size", int64_t(i == 0 ? 2097152 : i == 1 ? 1000000 : 511284));
    entry.insert("stream", int64_t(0)); entry.insert("compile_context", "N/A"); entry.insert("user_metadata", "");
    entry.insert("time_us", int64_t(1700000000000000 + i)); entry.insert("frames", frames);
    trace.push_back(entry);
  }
  traces.push_back(trace);
  for (int i = 0; i < 2; i++) {
    auto block = dict();
    block.insert("address", address + 1048576 * i); block.insert("size", int64_t(1048576));
    block.insert("requested_size", int64_t(i == 0 ? 1000000 : 511284));
    block.insert("state", "active_allocated"); block.insert("frames", frames);
    blocks.push_back(block);
  }
  segment.insert("device", int64_t(0)); segment.insert("address", address); segment.insert("total_size", int64_t(2097152));
  segment.insert("stream", int64_t(0)); segment.insert("segment_type", "small");
  segment.insert("segment_pool_id", std::tuple<int64_t, int64_t>(0, 0));
  segment.insert("is_expandable", false); segment.insert("frames", list()); segment.insert("blocks", blocks);
  segments.push_back(segment);
  auto settings = dict(); settings.insert("garbage_collection_threshold", 0.5);
  auto result = dict();
  result.insert("segments", segments); result.insert("device_traces", traces); result.insert("allocator_settings", settings);
  std::ofstream out(argv[1], std::ios::binary);
  torch::jit::Pickler pickler([&](const char* data, size_t size) { out.write(data, size); }, nullptr, nullptr, nullptr, nullptr, false);
  pickler.protocol(); pickler.pushIValue(result); pickler.stop();
}
"""


def compile_pickler():
    import tempfile

    import torch
    from torch.utils.cpp_extension import include_paths

    library = Path(torch.__file__).parent / "lib"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "pickler.cpp"
        source.write_text(PICKLER)
        flags = [f"-I{path}" for path in include_paths()] + [f"-L{library}", f"-Wl,-rpath,{library}"]
        program = Path(folder) / "pickler"
        subprocess.run(
            ["g++", "-std=c++20", "-O0", source, *flags, "-ltorch", "-ltorch_cpu", "-lc10", "-o", program], check=True
        )
        subprocess.run([program, FOLDER / "pickler.pickle"], check=True)


def main():
    subprocess.run(["node", Path(__file__).with_suffix(".mjs")], check=True)
    answers = {name: look(name) for name in ["before", "after", "expandable", "program-middle", "program"]}
    answers["compare"] = compare("before", "after")
    answers["compareProgram"] = compare("program-middle", "program")
    for name in ["after", "expandable", "program"]:
        loaded = plain(pickle.loads((FOLDER / f"{name}.pickle").read_bytes()))
        assert loaded == json.loads((FOLDER / f"{name}.json").read_text()), name
    legacy = pickle.loads((FOLDER / "after-old.pickle").read_bytes())
    answers["old"] = {"memory": viz.memory(legacy, format_flamegraph=lambda text: text), "stats": viz.segsum(legacy)}
    (FOLDER / "viewer.json").write_text(json.dumps(answers, indent=1) + "\n")
    write_theirs()
    if "--pickler" in sys.argv:
        compile_pickler()


main()
