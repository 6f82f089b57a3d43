import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { capturing } from '../devices/capture.ts';
import { createdBackend } from '../devices/registry.ts';
import torch from '../index.ts';
import type { Tensor } from '../tensor/tensor.ts';

const device = 'mtia';
const { mtia } = torch;

/** Bytes of backing store in use. */
const inUse = (): number => {
  mtia.memory_allocated();
  return createdBackend(0)!.memory.inUse;
};

/** Segments of private pools that are in use. */
const privateSegments = () => {
  mtia.empty_cache();
  return mtia.memory.memory_snapshot().filter(({ segment_pool_id: [a, b] }) => a !== 0 || b !== 0).length;
};

function errorOf(fn: () => unknown): Error {
  try {
    fn();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}

const warnings: string[] = [];
beforeEach(() => {
  warnings.length = 0;
  vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void warnings.push((warning as Error).message));
});
afterEach(() => {
  vi.restoreAllMocks();
  expect(capturing).toBe(null);
});

describe.each(['inline', 'worker'] as const)('%s', (executor) => {
  /** What has nothing to do with how launches are run is looked at once. */
  const some = <T>(list: T[]): T[] => (executor === 'inline' ? list : list.slice(0, 1));

  beforeAll(() => {
    mtia.configure({ executor });
  });
  afterAll(() => {
    mtia.graph.default_capture_stream = null;
  });

  describe('capture and replay', () => {
    test('nothing runs in a capture; a replay computes with what the inputs hold then', () => {
      const x = torch.arange(4, { dtype: torch.float32, device });
      const y = torch.zeros(4, { device });
      const g = new mtia.MTIAGraph();
      mtia.graph(g, () => void y.add_(x.mul(2)));
      expect(y.tolist()).toEqual([0, 0, 0, 0]);
      g.replay();
      expect(y.tolist()).toEqual([0, 2, 4, 6]);
      x.fill_(10);
      g.replay();
      g.replay();
      expect(y.tolist()).toEqual([40, 42, 44, 46]);
    });

    test('all launches, in order, split over threads as usual', () => {
      const n = 1 << 20;
      const x = torch.ones(n, { device });
      const g = new mtia.MTIAGraph();
      const y = mtia.graph(g, () => x.mul(3).add(1).sum());
      for (const value of [1, 2]) {
        x.fill_(value);
        g.replay();
        expect(y.item()).toBe(n * (3 * value + 1));
      }
    });

    test('matrices, reductions and indices with their scratch memory', () => {
      torch.manual_seed(1);
      const [a, b] = [torch.randn(70, 130, { device }), torch.randn(130, 90, { device })];
      const index = torch.tensor([3n, 1n, 69n], { device });
      const compute = (): Tensor => torch.softmax(torch.matmul(a, b), 1).index_select(0, index).cumsum(1);
      const g = new mtia.MTIAGraph();
      const out = mtia.graph(g, compute);
      for (let round = 0; round < 3; round++) {
        a.normal_();
        const eager = compute();
        g.replay();
        expect(out.equal(eager)).toBe(true);
      }
    });

    test('a fault in a replay is found where the host waits', () => {
      const index = torch.tensor([0n, 1n], { device });
      const x = torch.ones(3, { device });
      const g = new mtia.MTIAGraph();
      const y = mtia.graph(g, () => x.index_select(0, index));
      index.fill_(7);
      g.replay();
      expect(() => mtia.synchronize()).toThrow(/index|range/i);
      index.fill_(2);
      g.replay();
      expect(y.tolist()).toEqual([1, 1]);
    });

    test('replays draw fresh random numbers, as the same calls would', () => {
      torch.manual_seed(5);
      const eager = [0, 1, 2].map(() => torch.rand(3, { device }).tolist());
      torch.manual_seed(5);
      const g = new mtia.MTIAGraph();
      const x = mtia.graph(g, () => torch.rand(3, { device }));
      const replayed = [0, 1, 2].map(() => {
        g.replay();
        return x.tolist();
      });
      expect(replayed).toEqual(eager);
    });

    test('a generator that is first used in a capture is seeded outside', () => {
      const eager = new torch.Generator(device);
      eager.manual_seed(3);
      const expected = [0, 1].map(() => torch.rand(2, { device, generator: eager }).tolist());
      const generator = new torch.Generator(device).manual_seed(3);
      const g = new mtia.MTIAGraph();
      const x = mtia.graph(g, () => torch.rand(2, { device, generator }));
      g.replay();
      const first = x.tolist();
      g.replay();
      expect([first, x.tolist()]).toEqual(expected);
      g.reset();
      // Its state is not the graph's.
      const y = torch.rand(2, { device, generator });
      expect(y.tolist()).toEqual(torch.rand(2, { device, generator: eager }).tolist());
    });

    test('copies from pinned memory take what is there at the replay, copies to it too', () => {
      const source = torch.tensor([1, 2, 3]).pin_memory();
      const target = torch.zeros(3).pin_memory();
      const x = torch.zeros(3, { device });
      const g = new mtia.MTIAGraph();
      mtia.graph(g, () => {
        x.copy_(source, { non_blocking: true });
        target.copy_(x.mul(10), { non_blocking: true });
      });
      g.replay();
      mtia.synchronize();
      expect(target.tolist()).toEqual([10, 20, 30]);
      source.fill_(4);
      g.replay();
      mtia.synchronize();
      expect(target.tolist()).toEqual([40, 40, 40]);
    });

    test('a graph replayed in a capture becomes part of it, and its memory stays with that', () => {
      const x = torch.ones(100, { device });
      const inner = new mtia.MTIAGraph();
      const y = mtia.graph(inner, () => x.add(1).mul(2));
      const outer = new mtia.MTIAGraph();
      const z = mtia.graph(outer, () => {
        inner.replay();
        return y.add(1);
      });
      inner.reset();
      const noise = Array.from({ length: 20 }, () => torch.zeros(100, { device }));
      outer.replay();
      expect(z.sum().item()).toBe(500);
      expect(noise.every((tensor) => tensor.sum().item() === 0)).toBe(true);
    });

    test('an empty graph', () => {
      const g = new mtia.MTIAGraph();
      mtia.graph(g, () => {});
      expect(warnings).toEqual([
        'The MTIA Graph is empty. This usually means that the graph was attempted to be captured on wrong device or stream.',
      ]);
      g.replay();
    });
  });

  describe('what must not be done in a capture', () => {
    const x = () => torch.ones(3, { device });
    const PERMITTED = /^MTIA error: operation not permitted when stream is capturing\. \S/;
    const COPY =
      'Cannot copy between CPU and MTIA tensors during MTIA graph capture unless the CPU tensor is pinned. Please use tensor.pin_memory() or allocate the tensor with pin_memory=True.';

    const lost: [string, (x: Tensor) => unknown][] = [
      ['item', (x) => x.sum().item()],
      ['tolist', (x) => x.tolist()],
      ['toTypedArray', (x) => x.toTypedArray()],
      ['printing', (x) => String(x)],
      ['mtia.synchronize', () => mtia.synchronize()],
      ['accelerator.synchronize', () => torch.accelerator.synchronize()],
      ['Stream.synchronize', () => mtia.current_stream().synchronize()],
      ['a shape that depends on values', (x) => x.nonzero()],
      ['a copy that waits', (x) => x.copy_(torch.ones(3).pin_memory())],
      ['get_rng_state', () => mtia.get_rng_state()],
    ];
    /** Loses a capture, and looks whether the device goes on. */
    const lose = (input: Tensor, forbidden: (x: Tensor) => unknown) => {
      const g = new mtia.MTIAGraph();
      g.capture_begin([0, 0]);
      const y = input.add(1);
      expect(errorOf(() => forbidden(input)).message).toMatch(PERMITTED);
      // Everything after it fails, too.
      expect(errorOf(() => input.mul(y)).message).toMatch(
        /^MTIA error: operation failed due to a previous error during capture/,
      );
      expect(errorOf(() => g.capture_end()).message).toMatch(
        /^MTIA error: operation failed due to a previous error during capture. That was: MTIA error: operation not permitted/,
      );
      expect(input.add(1).tolist()).toEqual([2, 2, 2]);
      expect(() => g.replay()).toThrow('Called MTIAGraph::replay without a preceding successful capture.');
    };
    test.each(some(lost))('%s loses it', (_name, forbidden) => lose(x(), forbidden));

    test('nothing is left of a lost capture', () => {
      const input = x();
      const before = inUse();
      for (const [, forbidden] of lost.slice(0, 3)) lose(input, forbidden);
      expect(inUse()).toBe(before);
      expect(privateSegments()).toBe(0);
    });

    const refused: [string, (x: Tensor) => unknown][] = [
      ['a copy from the cpu', (x) => x.copy_(torch.ones(3))],
      ['a copy to the cpu', (x) => x.cpu()],
      ['new values', () => torch.tensor([1, 2], { device })],
      ['to', () => torch.ones(3).to(device)],
    ];
    test.each(some(refused))('%s is refused, and the capture goes on', (_name, forbidden) => {
      const input = x();
      const g = new mtia.MTIAGraph();
      const y = mtia.graph(g, () => {
        const y = input.add(1);
        expect(errorOf(() => forbidden(input)).message).toBe(COPY);
        return y.add(1);
      });
      g.replay();
      expect(y.tolist()).toEqual([3, 3, 3]);
    });

    test('the error of the function is the one that is thrown', () => {
      const g = new mtia.MTIAGraph();
      expect(errorOf(() => mtia.graph(g, () => x().sum().item())).message).toMatch(PERMITTED);
      expect(mtia.is_current_stream_capturing()).toBe(false);
      // The program's own errors lose nothing.
      const input = x();
      const out = torch.zeros(3, { device });
      const other = new mtia.MTIAGraph();
      expect(() =>
        mtia.graph(other, () => {
          out.add_(input);
          throw new Error('mine');
        }),
      ).toThrow('mine');
      other.replay();
      expect(out.tolist()).toEqual([1, 1, 1]);
    });

    test('other seeds', () => {
      torch.manual_seed(1);
      torch.rand(1, { device });
      const g = new mtia.MTIAGraph();
      mtia.graph(g, () => {
        torch.rand(1, { device });
        mtia.manual_seed(1);
        expect(() => mtia.manual_seed(2)).toThrow(
          'MTIAGeneratorImpl::set_current_seed can be called during stream capture only if new seed is the same as the original seed.',
        );
      });
    });

    test('another capture', () => {
      const [g, other] = [new mtia.MTIAGraph(), new mtia.MTIAGraph()];
      const input = x();
      g.capture_begin([0, 0]);
      input.add_(1);
      expect(() => other.capture_begin([0, 0])).toThrow(
        /^MTIA error: the operation cannot be performed in the present state: a graph is being captured on mtia:0/,
      );
      expect(() => other.capture_end()).toThrow('capture_end() called before capture_begin().');
      g.capture_end();
      g.replay();
      expect(input.tolist()).toEqual([2, 2, 2]);
    });
  });

  describe('the classes', () => {
    test('the states of a graph', () => {
      const x = torch.zeros(2, { device });
      const g = new mtia.MTIAGraph();
      expect(() => g.replay()).toThrow('Called MTIAGraph::replay without a preceding successful capture.');
      expect(() => g.pool()).toThrow('Called MTIAGraph::pool() without a preceding successful capture.');
      expect(() => g.instantiate()).toThrow('capture_end() must have been called before calling instantiate');
      expect(() => g.capture_end()).toThrow('capture_end() called before capture_begin().');
      expect(() => (g.capture_begin as () => void)()).toThrow(
        "MTIAGraph.capture_begin() missing 1 required positional argument: 'pool'",
      );
      mtia.graph(g, () => void x.add_(1));
      expect(() => g.capture_begin([0, 0])).toThrow(
        'This MTIAGraph instance already owns a captured graph. To capture a new graph, create a new instance.',
      );
      expect(() => g.instantiate()).toThrow(
        'instantiate() is intended to be called by the user only when keep_graph=true',
      );
      g.replay();
      g.reset();
      expect(() => g.replay()).toThrow('without a preceding successful capture');
      mtia.graph(g, () => void x.add_(10));
      g.replay();
      expect(x.tolist()).toEqual([11, 11]);
    });

    test('a kept graph is made ready by the caller or the first replay, and again', () => {
      const x = torch.zeros(2, { device });
      const g = new mtia.MTIAGraph(true);
      mtia.graph(g, () => void x.add_(1));
      g.replay();
      g.instantiate();
      g.instantiate();
      g.replay();
      expect(x.tolist()).toEqual([2, 2]);
      expect(() => new mtia.MTIAGraph(1 as unknown as boolean)).toThrow(TypeError);
    });

    test('reset gives up a capture under way', () => {
      const x = torch.ones(3, { device });
      const g = new mtia.MTIAGraph();
      g.capture_begin([0, 0]);
      x.add_(1);
      g.reset();
      expect(mtia.is_current_stream_capturing()).toBe(false);
      expect(() => g.capture_end()).toThrow('capture_end() called before capture_begin().');
      expect(x.tolist()).toEqual([1, 1, 1]);
      mtia.graph(g, null, new torch.Stream(device), () => void x.add_(5));
      g.replay();
      expect(x.tolist()).toEqual([6, 6, 6]);
    });

    test('the stream of a capture', () => {
      const side = new torch.Stream(device);
      const x = torch.zeros(2, { device });
      const g = new mtia.MTIAGraph();
      const seen: boolean[] = [];
      mtia.graph(g, { stream: side }, () => {
        seen.push(mtia.current_stream() === side, side.is_capturing(), mtia.is_current_stream_capturing());
        seen.push(!mtia.default_stream().is_capturing());
        x.add_(1);
        // Other streams go on.
        mtia.stream(mtia.default_stream(), () => {
          seen.push(!mtia.is_current_stream_capturing());
          expect(x.tolist()).toEqual([0, 0]);
          expect(torch.tensor([1, 2], { device }).sum().item()).toBe(3);
        });
      });
      expect(seen).toEqual([true, true, true, true, true]);
      expect([side.is_capturing(), mtia.current_stream() === mtia.default_stream()]).toEqual([false, true]);
      g.replay();
      expect(x.tolist()).toEqual([1, 1]);

      g.reset();
      mtia.set_stream(side);
      g.capture_begin([0, 0]);
      mtia.set_stream(mtia.default_stream());
      expect(() => g.capture_end()).toThrow('Capture must end on the same stream it began on.');
      mtia.set_stream(side);
      x.add_(1);
      g.capture_end();
      mtia.set_stream(mtia.default_stream());
      g.replay();
      expect(x.tolist()).toEqual([2, 2]);
    });

    test('the first capture sets the default stream of captures', () => {
      mtia.graph.default_capture_stream = null;
      const side = new torch.Stream(device);
      const x = torch.zeros(2, { device });
      const one = mtia.stream(side, () => {
        const g = new mtia.MTIAGraph();
        mtia.graph(g, () => void x.add_(1));
        return g;
      });
      expect(mtia.graph.default_capture_stream).toBe(side);
      mtia.graph(new mtia.MTIAGraph(), () => {
        expect(mtia.current_stream()).toBe(side);
        x.add_(1);
      });
      one.replay();
      expect(x.tolist()).toEqual([1, 1]);
      mtia.graph.default_capture_stream = null;
    });

    test('with using, and with positions or names', () => {
      const x = torch.zeros(2, { device });
      const pool = mtia.graph_pool_handle();
      const g = new mtia.MTIAGraph();
      const guard = mtia.graph(g, pool);
      x.add_(1);
      guard.exit();
      expect(g.pool()).toEqual(pool);
      g.replay();
      expect(x.tolist()).toEqual([1, 1]);
      g.reset();
      expect(() => mtia.graph(g, { streams: 1 } as object, () => {})).toThrow(
        "graph.__init__() got an unexpected keyword argument 'streams'",
      );
      expect(() => mtia.graph(g, { pool: [1, 1] }, () => {})).toThrow('is no pool');
      expect(() => mtia.graph(g, { pool: 3 as unknown as [number, number] }, () => {})).toThrow(TypeError);
      expect(() => mtia.graph(g, async () => {})).toThrow(/returned a promise/);
    });

    test('torch.accelerator.Graph', () => {
      const { Graph, generate_graph_pool_handle } = torch.accelerator;
      const x = torch.zeros(2, { device });
      const pool = generate_graph_pool_handle();
      const g = new Graph({ pool, capture_error_mode: 'relaxed' });
      g.within(() => void x.add_(1));
      g.replay();
      g.replay();
      expect(x.tolist()).toEqual([2, 2]);
      expect(g.pool()).toEqual(pool);
      g.reset();
      g.graph_pool = null;
      g.within(() => void x.add_(1));
      expect(g.pool()[1]).toBe(0);
      expect(() => new Graph({ pools: 1 } as object)).toThrow(
        "Graph.__new__() got an unexpected keyword argument 'pools'",
      );
      const wrong = new Graph(false, { capture_error_mode: 'strict' as 'global' });
      expect(() => wrong.within(() => {})).toThrow(/capture error mode.*strict/);
    });
  });

  describe('streams', () => {
    test('an event takes the capture to another stream, which must come back', () => {
      const side = new torch.Stream(device);
      const x = torch.ones(3, { device });
      const g = new mtia.MTIAGraph();
      const y = mtia.graph(g, () => {
        const main = mtia.current_stream();
        side.wait_stream(main);
        const z = mtia.stream(side, () => {
          expect(mtia.is_current_stream_capturing()).toBe(true);
          return x.add(1);
        });
        main.wait_stream(side);
        return z.mul(2);
      });
      g.replay();
      expect(y.tolist()).toEqual([4, 4, 4]);
      expect(side.is_capturing()).toBe(false);

      const lost = new mtia.MTIAGraph();
      lost.capture_begin([0, 0]);
      side.wait_stream(mtia.current_stream());
      mtia.stream(side, () => x.add(1));
      expect(() => lost.capture_end()).toThrow(/^MTIA error: capturing stream has unjoined work\. .*wait/);
      expect(x.add(1).tolist()).toEqual([2, 2, 2]);
    });

    test('work outside cannot be waited for, and events inside not asked', () => {
      const side = new torch.Stream(device);
      const x = torch.ones(3, { device });
      const event = mtia.stream(side, () => {
        x.add_(1);
        return side.record_event();
      });
      const g = new mtia.MTIAGraph();
      const text = errorOf(() => mtia.graph(g, () => event.wait())).message;
      expect(text).toMatch(/^MTIA error: dependency created on uncaptured work in another stream/);
      const inside = errorOf(() =>
        mtia.graph(g, () => {
          x.add_(1);
          mtia.current_stream().record_event().synchronize();
        }),
      ).message;
      expect(inside).toMatch(/^MTIA error: operation not permitted on an event last recorded in a capturing stream/);
      expect(x.tolist()).toEqual([2, 2, 2]);
    });

    test('streams and events of a capture cannot be asked whether they are done', () => {
      const x = torch.ones(3, { device });
      const ask: [(event: InstanceType<typeof torch.Event>) => unknown, RegExp][] = [
        [(event) => event.query(), /not permitted on an event last recorded in a capturing stream/],
        [() => mtia.current_stream().query(), /operation not permitted when stream is capturing/],
      ];
      for (const [question, text] of ask) {
        const g = new mtia.MTIAGraph();
        g.capture_begin([0, 0]);
        x.add_(1);
        const event = mtia.current_stream().record_event();
        expect(() => question(event)).toThrow(text);
        expect(() => g.capture_end()).toThrow('due to a previous error during capture');
        expect(() => event.query()).not.toThrow();
      }
      expect(x.tolist()).toEqual([1, 1, 1]);
    });

    test('an event with a time can be recorded', () => {
      const x = torch.ones(3, { device });
      const g = new mtia.MTIAGraph();
      mtia.graph(g, () => {
        x.add_(1);
        new torch.Event({ enable_timing: true }).record();
      });
      g.replay();
      expect(x.tolist()).toEqual([2, 2, 2]);
    });
  });
});

describe('several devices', () => {
  beforeAll(() => {
    mtia.configure({ executor: 'inline', devices: 2 });
  });
  afterAll(() => {
    mtia.configure({ devices: 1 });
  });

  test('a capture is of one device; the others go on', () => {
    const run = () => {
      const x = torch.ones(2, { device: 'mtia:0' });
      const y = torch.ones(2, { device: 'mtia:1' });
      const g = new mtia.MTIAGraph();
      mtia.graph(g, () => {
        x.add_(1);
        y.add_(1);
        expect(y.tolist()).toEqual([2, 2]);
        mtia.device(1, () => expect(mtia.is_current_stream_capturing()).toBe(false));
        expect(() => x.copy_(y)).toThrow(/^Cannot copy between/);
      });
      g.replay();
      expect([x.tolist(), y.tolist()]).toEqual([
        [2, 2],
        [2, 2],
      ]);
      // Replays go to the device of the capture.
      mtia.device(1, () => g.replay());
      expect(x.tolist()).toEqual([3, 3]);
      const other = new mtia.MTIAGraph();
      mtia.device(1, () => {
        mtia.graph.default_capture_stream = null;
        mtia.graph(other, () => void y.mul_(5));
        mtia.graph.default_capture_stream = null;
      });
      other.replay();
      expect(y.tolist()).toEqual([10, 10]);
      g.reset();
      other.reset();
    };
    run();
  });
});

describe('debug_dump', () => {
  const folder = mkdtempSync(join(tmpdir(), 'graph-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const { Graph } = torch.accelerator;
  const file = (name: string) => join(folder, name);
  const captured = (keep: boolean) => {
    const x = torch.ones(2, { device });
    const g = new Graph(keep);
    g.within(() => void x.add_(1).mul_(2));
    return g;
  };

  test('writes a kept graph, and in debug mode any, once', () => {
    const plain = captured(false);
    plain.debug_dump(file('a.dot'));
    expect(warnings.at(-1)).toBe('MTIA Graphs debug not enabled, set with [graph].enable_debug_mode()');
    expect(existsSync(file('a.dot'))).toBe(false);
    expect(() => plain.debug_dump(file('a.txt'))).toThrow('debug_path must end with .dot extension, got: ');
    captured(true).debug_dump(file('b.dot'));
    const text = readFileSync(file('b.dot'), 'utf8');
    expect(text).toMatch(
      /^digraph mtia \{\n[\s\S]*n0 \[label="0: add[^"]*"\];\n {2}n1 \[label="1: mul[^"]*"\];\n {2}n0 -> n1;\n\}\n$/,
    );
    plain.enable_debug_mode();
    const debugged = captured(false);
    debugged.debug_dump(file('c.dot'));
    expect(readFileSync(file('c.dot'), 'utf8')).toBe(text);
    debugged.debug_dump(file('d.dot'));
    expect(existsSync(file('d.dot'))).toBe(false);
  });
});

test('what a graph holds is named', () => {
  const g = new mtia.MTIAGraph();
  const x = torch.ones(3, { device });
  mtia.graph(g, () => void x.add_(1));
  expect(() => mtia.configure({})).toThrow(/float32 \[3\] \(12 bytes\), .*an input of a captured graph/);
  g.reset();
});
