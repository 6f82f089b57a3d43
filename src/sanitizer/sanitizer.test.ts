import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import torch from '../index.ts';
import { MTIASanitizerErrors, UnsynchronizedAccessError, UseAfterFreeError } from './errors.ts';

const { mtia } = torch;
const device = 'mtia';
let printed: string[];

beforeAll(() => {
  mtia.configure({ devices: 2, executor: 'inline' });
});
beforeEach(() => {
  printed = [];
  vi.spyOn(console, 'error').mockImplementation((text: string) => void printed.push(text));
  mtia._sanitizer.enable_mtia_sanitizer();
});
afterEach(() => {
  mtia._sanitizer.mtia_sanitizer.disable();
  mtia.set_stream(mtia.default_stream(0));
  vi.restoreAllMocks();
});

const stream = (index = 0) => new torch.Stream({ device: `mtia:${index}` });
const on = <T>(s: InstanceType<typeof torch.Stream>, fn: () => T): T => mtia.stream(s, fn);

/** What a program is told, as `type operator by stream after type operator by stream`; [] for nothing. */
function races(fn: () => void): string[] {
  try {
    fn();
    mtia.synchronize();
  } catch (error) {
    if (!(error instanceof MTIASanitizerErrors)) throw error;
    expect(printed).toEqual(error.errors.map((e) => e.message));
    return error.errors.map((e) => {
      if (e instanceof UseAfterFreeError) return `free on ${e.stream} after ${show(e.previous_access)}`;
      if (e instanceof UnsynchronizedAccessError) return `${show(e.current_access)} after ${show(e.previous_access)}`;
      throw e;
    });
  }
  return [];
}
const show = ({ type, operator, stream }: UnsynchronizedAccessError['current_access']) =>
  `${type === 'writing to' ? 'write' : 'read'} ${operator} ${stream ?? 'host'}`;

describe('races', () => {
  test('write after write', () => {
    const s = stream();
    const found = races(() => {
      const x = torch.zeros(10, { device });
      on(s, () => x.fill_(3));
    });
    expect(found).toEqual([`write fill_ ${s.stream_id} after write zeros 0`]);
  });

  test('read after write', () => {
    const s = stream();
    const found = races(() => {
      const x = torch.zeros(10, { device });
      on(s, () => x.add(1));
    });
    expect(found).toEqual([`read add ${s.stream_id} after write zeros 0`]);
  });

  test('write after read', () => {
    const s = stream();
    const found = races(() => {
      const x = torch.zeros(10, { device });
      mtia.synchronize();
      on(s, () => x.add(1));
      x.mul_(2);
    });
    expect(found).toEqual([`write mul_ 0 after read add ${s.stream_id}`]);
  });

  test('two reads are none', () => {
    const s = stream();
    const found = races(() => {
      const x = torch.zeros(10, { device });
      mtia.synchronize();
      on(s, () => x.add(1));
      x.add(2);
    });
    expect(found).toEqual([]);
  });

  test('a write is held against the reads of several streams', () => {
    const [a, b, c] = [stream(), stream(), stream()];
    const found = races(() => {
      const x = torch.zeros(10, { device });
      mtia.synchronize();
      on(a, () => x.add(1));
      on(b, () => x.mul(1));
      c.wait_stream(a);
      on(c, () => x.fill_(1));
    });
    expect(found).toEqual([`write fill_ ${c.stream_id} after read mul ${b.stream_id}`]);
  });

  test('one stream is in order with itself', () => {
    const s = stream();
    const found = races(() => {
      on(s, () => torch.zeros(10, { device }).add_(1).mul(2));
      const x = torch.zeros(10, { device }).add_(1);
      x.mul_(x);
    });
    expect(found).toEqual([]);
  });

  test('each is told once', () => {
    const s = stream();
    const x = torch.zeros(10, { device });
    const again = () => on(s, () => void x.fill_(1));
    expect(races(again)).toHaveLength(1);
    expect(races(again)).toEqual([]);
  });
});

describe('views', () => {
  test('of one storage', () => {
    const s = stream();
    const found = races(() => {
      const x = torch.zeros(4, 4, { device });
      const y = x.view(16).index([torch.Slice(2, 6)]);
      on(s, () => y.fill_(1));
    });
    expect(found).toEqual([`write fill_ ${s.stream_id} after write zeros 0`]);
  });

  test('of different parts may be used at once', () => {
    const s = stream();
    const found = races(() => {
      const x = torch.zeros(4, 6, { device });
      mtia.synchronize();
      const [left, right] = x.chunk(2, 1);
      const [top, bottom] = x.chunk(2, 0);
      on(s, () => left.fill_(1));
      right.fill_(2);
      mtia.synchronize();
      on(s, () => top.fill_(1));
      bottom.fill_(2);
    });
    expect(found).toEqual([]);
  });

  test('making one is no access', () => {
    const s = stream();
    const found = races(() => {
      const x = torch.zeros(4, 4, { device });
      on(s, () => void [x.view(16), x.t(), x.shape, x.index([0]), x.detach(), torch.zeros_like(x)]);
    });
    expect(found).toEqual([]);
  });
});

describe('what orders streams', () => {
  test('an event', () => {
    const s = stream();
    const found = races(() => {
      const x = torch.zeros(10, { device });
      const event = mtia.current_stream().record_event();
      s.wait_event(event);
      on(s, () => x.fill_(3));
    });
    expect(found).toEqual([]);
  });

  test('an event orders what came before it, not what comes after', () => {
    const s = stream();
    const found = races(() => {
      const x = torch.zeros(10, { device });
      const event = mtia.current_stream().record_event();
      x.add_(1);
      s.wait_event(event);
      on(s, () => x.fill_(3));
    });
    expect(found).toEqual([`write fill_ ${s.stream_id} after write add_ 0`]);
  });

  test('an event recorded anew stands for the new point', () => {
    const s = stream();
    const found = races(() => {
      const x = torch.zeros(10, { device });
      const event = mtia.current_stream().record_event();
      x.add_(1);
      event.record();
      s.wait_event(event);
      on(s, () => x.fill_(3));
    });
    expect(found).toEqual([]);
  });

  test('wait_stream, also over a third', () => {
    const [a, b] = [stream(), stream()];
    const found = races(() => {
      const x = torch.zeros(10, { device });
      a.wait_stream(mtia.current_stream());
      b.wait_stream(a);
      on(b, () => x.fill_(3));
      mtia.current_stream().wait_stream(b);
      x.add_(1);
    });
    expect(found).toEqual([]);
  });

  test.each<[string, (x: InstanceType<typeof torch.Tensor>) => unknown]>([
    ['mtia.synchronize', () => mtia.synchronize()],
    ['accelerator.synchronize', () => torch.accelerator.synchronize()],
    ['Stream.synchronize', () => mtia.current_stream().synchronize()],
    ['Event.synchronize', () => mtia.current_stream().record_event().synchronize()],
    ['item', (x) => x.index([0]).item()],
    ['tolist', (x) => x.tolist()],
    ['a blocking copy to the host', (x) => x.cpu()],
    ['a blocking copy from the host', () => torch.zeros(3).to(device)],
  ])('the host waits: %s', (_name, wait) => {
    const s = stream();
    const found = races(() => {
      const x = torch.zeros(10, { device });
      wait(x);
      on(s, () => x.fill_(3));
    });
    expect(found).toEqual([]);
  });

  test('the host waits for another stream: no order', () => {
    const [a, b] = [stream(), stream()];
    const found = races(() => {
      const x = torch.zeros(10, { device });
      a.synchronize();
      on(b, () => x.fill_(3));
    });
    expect(found).toEqual([`write fill_ ${b.stream_id} after write zeros 0`]);
  });

  test('a stream made after a wait of the host comes after what that waited for', () => {
    const found = races(() => {
      const x = torch.zeros(10, { device });
      mtia.synchronize();
      on(stream(), () => x.fill_(3));
    });
    expect(found).toEqual([]);
  });
});

describe('backward', () => {
  const model = () => {
    const w = torch.ones(4, 4, { device, requires_grad: true });
    const x = torch.ones(2, 4, { device });
    return { w, x, loss: () => x.matmul(w).relu().sum() };
  };

  test('runs on the streams of the ops: none of PyTorch’s own patterns is a race', () => {
    const s = stream();
    const found = races(() => {
      const { w, loss } = model();
      loss().backward();
      s.wait_stream(mtia.current_stream());
      const l = on(s, loss);
      l.backward();
      w.grad!.add_(1);
      w.grad = null;
      mtia.current_stream().wait_stream(s);
      const both = loss().add(on(s, loss));
      both.backward();
      w.grad!.add_(1);
    });
    // Only this: `both` reads what the other stream computes without a wait.
    expect(found).toEqual([`read add 0 after write sum ${s.stream_id}`]);
  });

  test('a whole step with an optimizer, forward on another stream', () => {
    const s = stream();
    const found = races(() => {
      const { w, loss } = model();
      const optimizer = new torch.optim.Adam([w], { lr: 0.1 });
      for (let i = 0; i < 3; i++) {
        s.wait_stream(mtia.current_stream());
        const l = on(s, loss);
        optimizer.zero_grad();
        l.backward();
        optimizer.step();
      }
    });
    expect(found).toEqual([]);
  });

  test('gradients used on a third stream', () => {
    const s = stream();
    const found = races(() => {
      const { w, loss } = model();
      loss().backward();
      on(s, () => w.grad!.mul_(2));
    });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^write mul_ ${s.stream_id} after write \\S+Backward0 0$`));
  });

  test('a gradient that streams share is not added to in place', () => {
    const [s1, s2, main] = [stream(), stream(), mtia.current_stream()];
    const everything = <T>(s: ReturnType<typeof stream>, fn: () => T): T => {
      for (const other of [s1, s2, main]) if (other !== s) s.wait_stream(other);
      return on(s, fn);
    };
    const found = races(() => {
      const [a, b] = [1, 2].map((value) => torch.full([4], value, { device, requires_grad: true }));
      const v = everything(s2, () => b.mul(3));
      const w = everything(main, () => v.mul(2));
      const u = everything(s1, () => a.exp());
      // The gradient of the sum goes to u and to v; that of w follows.
      const loss = everything(main, () => u.add(v).mul(2).sum().add(w.sum()));
      everything(main, () => loss.backward());
      expect(b.grad!.tolist()).toEqual([12, 12, 12, 12]);
    });
    expect(found).toEqual([]);
  });

  test('a weight changed while another stream’s backward still reads it', () => {
    const s = stream();
    const found = races(() => {
      const { w, x } = model();
      const input = x.clone().requires_grad_();
      s.wait_stream(mtia.current_stream());
      on(s, () => input.matmul(w.detach()).sum().backward());
      torch.no_grad(() => w.fill_(0));
    });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^write fill_ 0 after read \\S+ ${s.stream_id}$`));
  });
});

describe('several devices', () => {
  test('streams of the same number on two devices are two streams', () => {
    mtia.set_device(0);
    const found = races(() => {
      const x = torch.zeros(10, { device: 'mtia:0' });
      const y = torch.zeros(10, { device: 'mtia:1' });
      mtia.synchronize(1);
      on(stream(0), () => x.add(1));
      y.add(1);
    });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^read add \d+ after write zeros 0$/);
  });

  test('a copy between devices orders their current streams, both ways', () => {
    const found = races(() => {
      const x = torch.zeros(10, { device: 'mtia:0' });
      const y = x.to('mtia:1');
      y.add_(1);
      x.add_(1);
    });
    expect(found).toEqual([]);
  });

  test('and no others', () => {
    const s = stream(1);
    const found = races(() => {
      const x = torch.zeros(10, { device: 'mtia:0' });
      const y = x.to('mtia:1');
      on(s, () => y.add_(1));
    });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^read add_ \d+ after write to 0$|^write add_ \d+ after write to 0$/);
  });
});

describe('pinned memory and the host', () => {
  test('the host must not change what a copy still reads', () => {
    const found = races(() => {
      const x = torch.ones(10, { pin_memory: true });
      x.to(device, { non_blocking: true });
      x.fill_(2);
    });
    expect(found).toEqual(['write fill_ host after read to 0']);
  });

  test('nor read what a copy still writes', () => {
    const found = races(() => {
      const x = torch.ones(10, { device });
      x.to('cpu', { non_blocking: true }).tolist();
    });
    expect(found).toEqual(['read tolist host after write to 0']);
  });

  test('after waiting it may; and blocking copies leave nothing behind', () => {
    const found = races(() => {
      const x = torch.ones(10, { pin_memory: true });
      const y = x.to(device, { non_blocking: true });
      const event = mtia.current_stream().record_event();
      event.synchronize();
      x.fill_(2);
      const z = y.to('cpu', { non_blocking: true });
      mtia.synchronize();
      z.tolist();
      x.copy_(y);
      x.fill_(3);
    });
    expect(found).toEqual([]);
  });
});

describe('memory given back too early', () => {
  const use = (s: InstanceType<typeof torch.Stream>, free: (x: InstanceType<typeof torch.Tensor>) => void) =>
    races(() => {
      const x = torch.ones(10, { device });
      s.wait_stream(mtia.current_stream());
      on(s, () => x.add(1));
      free(x);
    });

  test('dispose while another stream uses it', () => {
    const s = stream();
    expect(use(s, (x) => x.dispose())).toEqual([`free on 0 after read add ${s.stream_id}`]);
  });

  test('record_stream is the cure', () => {
    const s = stream();
    const found = use(s, (x) => {
      x.record_stream(s);
      x.dispose();
    });
    expect(found).toEqual([]);
  });

  test('so is waiting', () => {
    const s = stream();
    const found = use(s, (x) => {
      mtia.current_stream().wait_stream(s);
      x.dispose();
    });
    expect(found).toEqual([]);
  });

  test('the end of a scope', () => {
    const s = stream();
    const found = races(() => {
      torch.scope(() => {
        const x = on(s, () => torch.ones(10, { device }));
        mtia.current_stream().wait_stream(s);
        x.add(1);
      });
    });
    expect(found).toEqual([`free on ${s.stream_id} after read add 0`]);
  });

  test('views share the memory', () => {
    const s = stream();
    const found = use(s, (x) => {
      const view = x.view(2, 5);
      x.dispose();
      expect(printed).toEqual([]);
      view.dispose();
    });
    expect(found).toEqual([`free on 0 after read add ${s.stream_id}`]);
  });
});

describe('every kind of launch says what it reads and writes', () => {
  const x = () => torch.rand(4, 6, { device });
  const index = () => torch.tensor([1n, 0n], { device });
  type T = InstanceType<typeof torch.Tensor>;
  const reading: Record<string, (a: T) => unknown> = {
    map: (a) => a.exp(),
    strided: (a) => a.t().add(1),
    reduce: (a) => a.sum(1),
    argmax: (a) => a.argmax(1),
    'min and places': (a) => a.min(1),
    softmax: (a) => torch.softmax(a, 1),
    layer_norm: (a) => torch.nn.functional.layer_norm(a, [6]),
    matmul: (a) => a.matmul(torch.rand(6, 2, { device })),
    'matmul from the right': (a) => torch.rand(2, 4, { device }).matmul(a),
    addmm: (a) => torch.addmm(a, torch.rand(4, 2, { device }), torch.rand(2, 6, { device })),
    copy: (a) => a.clone(),
    cast: (a) => a.to(torch.float64),
    cumsum: (a) => a.cumsum(0),
    gather: (a) => a.index_select(0, index()),
    index: (a) => a.index([index()]),
    nonzero: (a) => a.nonzero(),
    nll: (a) => torch.nn.functional.cross_entropy(a, torch.tensor([0n, 1n, 2n, 3n], { device })),
    embedding: (a) => torch.nn.functional.embedding(index(), a),
    embedding_bag: (a) => torch.nn.functional.embedding_bag(torch.tensor([[0n, 1n]], { device }), a),
    cat: (a) => torch.cat([a, torch.ones(1, 6, { device })]),
    'in place, as the other': (a) => torch.ones(4, 6, { device }).add_(a),
    'copy to another device': (a) => a.to('mtia:1'),
    item: (a) => a.index([0, 0]).item(),
  };
  test.each(Object.entries(reading))('reads: %s', (_name, fn) => {
    const a = x();
    const s = stream();
    const found = races(() => on(s, () => void fn(a)));
    expect(found[0]).toMatch(new RegExp(`^read \\S+ ${s.stream_id} after write rand 0$`));
    // Reads beside reads are no races, so nothing here is taken for a write.
    mtia.synchronize();
    a.add(1);
    expect(races(() => on(s, () => void fn(a)))).toEqual([]);
  });

  const writing: Record<string, (a: T) => unknown> = {
    fill: (a) => a.fill_(1),
    zero: (a) => a.zero_(),
    map: (a) => a.exp_(),
    'strided map': (a) => a.t().mul_(2),
    copy: (a) => a.copy_(torch.ones(4, 6, { device })),
    'copy from the host': (a) => a.copy_(torch.ones(4, 6)),
    random: (a) => a.uniform_(),
    index_put: (a) => a.index_put_([index()], torch.ones(2, 6, { device })),
    index_add: (a) => a.index_add_(0, index(), torch.ones(2, 6, { device })),
    scatter: (a) => a.scatter_(0, torch.zeros(1, 6, { device, dtype: torch.int64 }), 3),
    'masked fill': (a) => a.masked_fill_(torch.ones(4, 6, { device }).gt(0), 3),
    clamp: (a) => a.clamp_(0, 1),
  };
  test.each(Object.entries(writing))('writes: %s', (_name, fn) => {
    const a = x();
    const s = stream();
    mtia.synchronize();
    a.add(1);
    const found = races(() => on(s, () => void fn(a)));
    expect(found[0]).toMatch(new RegExp(`^write \\S+ ${s.stream_id} after read add 0$`));
  });
});

describe('reports', () => {
  test('say what, where and when, in PyTorch’s words', () => {
    const s = stream();
    const x = torch.zeros(3, 4, { device });
    expect(() => on(s, () => x.view(12).mul_(2))).toThrow(
      expect.objectContaining({ name: 'MTIASanitizerErrors', message: 'detected 1 errors' }),
    );
    const [text] = printed;
    expect(text).toMatch(
      new RegExp(
        `^={28}\\nMTIASAN detected a possible data race on tensor with data pointer \\d+\\nAccess by stream ${s.stream_id} during kernel:\\nmul_\\nwriting to float32 \\[12\\]\\nWith stack trace:\\n`,
      ),
    );
    expect(text).toMatch(/\n\nPrevious access by stream 0 during kernel:\nzeros\nwriting to float32 \[3, 4\]\n/);
    expect(text).toMatch(/\n\nTensor was allocated with stack trace:\n/);
    expect(text).toContain('const x = torch.zeros(3, 4, { device });');
    expect(text).toContain('sanitizer.test.ts", line ');
  });

  test('carry the facts as PyTorch’s do', () => {
    const s = stream();
    const x = torch.zeros(3, 4, { device });
    try {
      on(s, () => x.mul_(2));
      expect.unreachable();
    } catch (error) {
      const [found] = (error as MTIASanitizerErrors).errors as UnsynchronizedAccessError[];
      expect(found).toBeInstanceOf(mtia._sanitizer.SynchronizationError);
      expect(found.data_ptr).toBe(x.data_ptr());
      expect(found.current_access).toMatchObject({ stream: s.stream_id, device: 'mtia:0', tensor: 'float32 [3, 4]' });
      expect(found.previous_access.stack_trace[0].filename).toMatch(/sanitizer\.test\.ts$/);
      expect(found.current_access.seq_num).toBeGreaterThan(found.previous_access.seq_num);
    }
  });

  test('after a launch that was not made the next one has its own place', () => {
    const s = stream();
    const x = torch.zeros(3, { device });
    const again = () => on(s, () => void x.mul_(2));
    const later = () => on(s, () => void x.mul_(2));
    expect(races(again)).toHaveLength(1);
    printed = [];
    mtia.default_stream(0).wait_stream(s);
    x.mul_(2);
    expect(races(later)).toHaveLength(1);
    expect(printed[0]).toContain('const later =');
    expect(printed[0]).not.toContain('const again =');
  });

  test('a tensor from before the check', () => {
    mtia._sanitizer.mtia_sanitizer.disable();
    const x = torch.zeros(3, { device });
    mtia._sanitizer.mtia_sanitizer.enable();
    x.add_(1);
    expect(races(() => on(stream(), () => void x.add_(1)))).toHaveLength(1);
    expect(printed[0]).toMatch(/Trace for tensor allocation not found\.$/);
  });

  test('turned off, nothing is looked at', () => {
    mtia._sanitizer.mtia_sanitizer.disable();
    expect(mtia._sanitizer.mtia_sanitizer.enabled).toBe(false);
    const x = torch.zeros(3, { device });
    expect(races(() => on(stream(), () => void x.add_(1)))).toEqual([]);
  });

  test('the device works on afterwards', () => {
    const x = torch.zeros(3, { device });
    expect(races(() => on(stream(), () => void x.add_(1)))).toHaveLength(1);
    mtia.synchronize();
    expect(x.add(1).tolist()).toHaveLength(3);
  });
});
