/** Writing files that PyTorch reads: the same bytes that it writes, and those that it has been shown. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import torch from '../index.ts';
import { portable } from './crc32.ts';
import { crc32 } from './crc32.ts';
import { describe as described } from './described.testing.ts';
import { samples } from './samples.testing.ts';

const folder = fileURLToPath(new URL('../../tests/fixtures/checkpoints/', import.meta.url));
const temporary = mkdtempSync(join(tmpdir(), 'torch-mtia-'));
afterAll(() => rmSync(temporary, { recursive: true }));

/** Without the forty digits that tell files apart, and their checksums. */
function withoutId(file: Uint8Array): Buffer {
  const bytes = Buffer.from(file);
  const first = bytes.indexOf('.data/serialization_id');
  const descriptor = bytes.indexOf('PK\x07\x08', first);
  bytes.fill(0, descriptor - 40, descriptor + 8);
  const central = bytes.indexOf('.data/serialization_id', descriptor) - 'archive/'.length - 46;
  bytes.fill(0, central + 16, central + 20);
  return bytes;
}

describe('the bytes that PyTorch writes for the same object', () => {
  for (const name of ['dtypes', 'views', 'shapes', 'special', 'many', 'shared', 'gradients', 'meta']) {
    test(name, () => {
      const theirs = readFileSync(`${folder}${name}.pt`);
      const ours = torch.save(torch.load(theirs));
      expect(withoutId(ours).equals(withoutId(theirs))).toBe(true);
    });
  }
});

describe('files that PyTorch has read', () => {
  const expected = JSON.parse(readFileSync(`${folder}ours.json`, 'utf8'));
  for (const [name, { value, options }] of Object.entries(samples())) {
    test(name, () => {
      // Training gives other last digits where fused multiply-add is missing.
      if (name !== 'training') {
        expect(Buffer.from(torch.save(value)).equals(readFileSync(`${folder}ours-${name}.pt`))).toBe(true);
      }
      expect(described(torch.load(`${folder}ours-${name}.pt`, options))).toEqual(expected[name].value);
    });
  }
});

describe('what comes back', () => {
  test("PyTorch's objects are saved as they were loaded", () => {
    for (const name of ['values', 'keys', 'module', 'adam', 'schedulers', 'tied']) {
      const loaded = torch.load(`${folder}${name}.pt`);
      expect(described(torch.load(torch.save(loaded)))).toEqual(described(loaded));
    }
  });

  test('views share their storage again, and keep their strides', () => {
    const x = torch.arange(6).reshape(2, 3);
    const { a, b, c } = torch.load(torch.save({ a: x, b: x.t(), c: x.index([1]) })) as Record<string, typeof x>;
    expect(b.stride()).toEqual([1, 3]);
    a.index_put_([1, 0], 77);
    expect(b.tolist()).toEqual([[0, 77], [1, 4], [2, 5]]); // biome-ignore format: a matrix
    expect(c.tolist()).toEqual([77, 4, 5]);
  });

  test('objects that are held twice, and cycles', () => {
    const list: unknown[] = [1];
    list.push(list, { list });
    const loaded = torch.load(torch.save(list)) as [number, unknown, { list: unknown }];
    expect(loaded[1]).toBe(loaded);
    expect(loaded[2].list).toBe(loaded);
  });

  test('training goes on where it was', () => {
    const make = () => {
      const model = new torch.nn.Linear(3, 2);
      const optimizer = new torch.optim.AdamW(model.parameters(), { lr: 0.1 });
      const scheduler = new torch.optim.lr_scheduler.StepLR(optimizer, 2);
      return { model, optimizer, scheduler };
    };
    const step = ({ model, optimizer, scheduler }: ReturnType<typeof make>) => {
      optimizer.zero_grad();
      model(torch.ones(4, 3)).pow(2).sum().backward();
      optimizer.step();
      scheduler.step();
    };
    const first = make();
    for (let i = 0; i < 3; i++) step(first);
    const path = join(temporary, 'training.pt');
    const { model, optimizer, scheduler } = first;
    torch.save(
      { model: model.state_dict(), optimizer: optimizer.state_dict(), scheduler: scheduler.state_dict() },
      path,
    );
    const second = make();
    const saved = torch.load(path) as Record<string, never>;
    second.model.load_state_dict(saved['model']);
    second.optimizer.load_state_dict(saved['optimizer']);
    second.scheduler.load_state_dict(saved['scheduler']);
    for (let i = 0; i < 3; i++) {
      step(first);
      step(second);
    }
    expect(second.model.weight.tolist()).toEqual(first.model.weight.tolist());
  });

  test("PyTorch's training goes on", () => {
    const saved = torch.load(`${folder}adam.pt`) as Record<string, never>;
    const model = new torch.nn.Linear(3, 2);
    model.load_state_dict(saved['model']);
    const optimizer = new torch.optim.Adam(model.parameters(), { lr: 0.5 });
    optimizer.load_state_dict(saved['optimizer']);
    expect(optimizer.param_groups[0]['lr']).toBe(0.01);
    expect(optimizer.state.size).toBe(2);
    model(torch.ones(4, 3)).sum().backward();
    optimizer.step();
  });
});

describe('where to', () => {
  const x = torch.arange(3);

  test('a path, a URL, something with write; the folder in the archive has the name of the file', () => {
    const path = join(temporary, 'weights.v1.pt');
    torch.save(x, path);
    expect(readFileSync(path).includes('weights.v1/data.pkl')).toBe(true);
    const url = pathToFileURL(join(temporary, 'url.pt'));
    torch.save(x, url);
    expect((torch.load(url) as typeof x).tolist()).toEqual([0, 1, 2]);
    const chunks: Uint8Array[] = [];
    torch.save(x, { write: (bytes) => chunks.push(bytes) });
    expect(Buffer.concat(chunks).equals(torch.save(x))).toBe(true);
  });

  test('an object that cannot be saved leaves the file alone', () => {
    const path = join(temporary, 'kept.pt');
    writeFileSync(path, 'precious');
    expect(() => torch.save([x, () => 1], path)).toThrow(TypeError);
    expect(readFileSync(path, 'utf8')).toBe('precious');
  });

  test('a folder that is not there', () => {
    expect(() => torch.save(x, join(temporary, 'none', 'x.pt'))).toThrow(
      /^\[Errno 2\] No such file or directory: '.*x\.pt'$/,
    );
    expect(() => torch.save(x, temporary)).toThrow(/^\[Errno 21\] Is a directory/);
  });

  test('nothing of the sort', () => {
    const save = torch.save as (...args: unknown[]) => void;
    expect(() => save(x, 5)).toThrow("expected 'f' to be string, path, or a file-like object with a 'write' attribute");
  });
});

describe('what cannot be saved', () => {
  test('modules, functions, classes, symbols, dates', () => {
    expect(() => torch.save(new torch.nn.Linear(1, 1))).toThrow(
      "cannot pickle 'Linear' object. Save its state_dict(): torch.save(model.state_dict(), f).",
    );
    expect(() => torch.save({ f: () => 1 })).toThrow("cannot pickle 'function' object");
    expect(() => torch.save([new Date()])).toThrow("cannot pickle 'Date' object");
    expect(() => torch.save(Symbol('s'))).toThrow("cannot pickle 'symbol' object");
    expect(() => torch.save(new Float32Array(2))).toThrow("cannot pickle 'Float32Array' object");
  });

  test('one storage as two dtypes', () => {
    const x = torch.ones(2);
    const y = torch.load(torch.save(x)) as typeof x;
    // There is no view(dtype): as if somebody had made one.
    y.storage = x.storage;
    y.dtype = torch.int32;
    expect(() => torch.save([x, y])).toThrow(
      'Cannot save multiple tensors or storages that view the same data as different types',
    );
  });

  test('lists that are nested too deep', () => {
    let list: unknown[] = [];
    for (let i = 0; i < 5000; i++) list = [list];
    expect(() => torch.save(list)).toThrow('maximum recursion depth exceeded');
  });

  test('a disposed tensor', () => {
    const x = torch.ones(1);
    x.dispose();
    expect(() => torch.save(x)).toThrow('This tensor was disposed');
  });
});

test('checksums in JavaScript are those of zlib', () => {
  const bytes = Uint8Array.from({ length: 1003 }, (_, i) => (i * 7919) >> 3);
  for (const length of [0, 1, 7, 8, 9, 64, 1003]) {
    expect(portable(bytes.subarray(0, length), 0)).toBe(crc32(bytes.subarray(0, length)));
  }
  expect(portable(bytes.subarray(500), portable(bytes.subarray(0, 500), 0))).toBe(crc32(bytes));
});
