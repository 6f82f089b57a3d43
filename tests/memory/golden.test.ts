/** Figures that are known beforehand, from PyTorch's rules, with real tensors. */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { fresh, MIB, stage, type Tensor, type Torch } from './fresh.testing.ts';

const device = 'mtia';
let torch: Torch;
let kept: Tensor[] = [];

beforeAll(async () => {
  torch = await fresh();
});
afterAll(() => {
  vi.unstubAllEnvs();
});
beforeEach(() => {
  kept = [];
  torch.mtia.configure({ memory: '16GiB' });
  torch.mtia.init();
});

const flat = () => torch.accelerator.memory_stats();

test('a linear layer of 512 to 256 features, and a batch of 32 through it', () => {
  const { nn, mtia } = torch;
  const model = stage(() => new nn.Linear(512, 256).to(device));
  stage(() => kept.push(torch.randn(32, 512).to(device)));
  expect(mtia.memory_allocated()).toBe(524288 + 1024 + 65536);
  stage(() => kept.push(model(kept[0])));
  expect(mtia.memory_allocated()).toBe(623616);
  expect(mtia.max_memory_allocated()).toBe(623616);
  expect(mtia.memory.memory_reserved()).toBe(2097152);
  expect(flat()['segment.all.current']).toBe(1);
});

describe('a training step of a linear layer of 10 to 5 features', () => {
  test('as PyTorch allocates it', () => {
    const { nn, optim, mtia } = torch;
    const model = stage(() => new nn.Linear(10, 5).to(device));
    const optimizer = new optim.SGD(model.parameters(), { lr: 0.1 });
    stage(() => kept.push(torch.randn(3, 10).to(device), torch.randn(3, 5).to(device)));
    expect(mtia.memory_allocated()).toBe(2048);
    expect(flat()['requested_bytes.all.current']).toBe(400);
    stage(() => {
      const loss = nn.functional.mse_loss(model(kept[0]), kept[1]);
      optimizer.zero_grad();
      loss.backward();
      optimizer.step();
    });
    // The gradients of weight and bias stay.
    expect(mtia.memory_allocated()).toBe(2048 + 1024);
    expect(flat()['requested_bytes.all.current']).toBe(400 + 220);
    expect(mtia.memory.memory_reserved()).toBe(2097152);
  });
});

describe('requests, the segments they open and what is left of those', () => {
  test.each([
    [1, 512, 'small', 2 * MIB, 2096640],
    [1048576, 1048576, 'small', 2 * MIB, 1048576],
    [1048577, 1049088, 'large', 20 * MIB, 19922432],
    [10485759, 10485760, 'large', 10485760, 0],
    [10485760, 10485760, 'large', 10485760, 0],
    [11 * MIB, 12 * MIB, 'large', 12 * MIB, 0],
  ])('%d bytes', (requested, taken, pool, segment, left) => {
    const { memory } = torch.mtia;
    const check = (): void => {
      expect(memory.memory_allocated()).toBe(taken);
      expect(flat()['requested_bytes.all.current']).toBe(requested);
      const [only, ...others] = memory.memory_snapshot();
      expect(others).toEqual([]);
      expect([only.segment_type, only.total_size]).toEqual([pool, segment]);
      const free = only.blocks.filter(({ state }) => state === 'inactive');
      expect(free.reduce((sum, block) => sum + block.size, 0)).toBe(left);
    };
    const pointer = memory.caching_allocator_alloc(requested);
    check();
    memory.caching_allocator_delete(pointer);
    memory.empty_cache();
    stage(() => kept.push(torch.empty(requested, { device, dtype: torch.uint8 })));
    check();
    expect(memory.memory_snapshot()[0].blocks[0].address).toBe(kept[0].data_ptr());
  });

  test('3 MiB that do not fit ask for a segment of 20 MiB', () => {
    torch.mtia.configure({ memory: '19MiB' });
    const wrong = 'MTIA out of memory. Tried to allocate 20.00 MiB.';
    expect(() => torch.mtia.memory.caching_allocator_alloc(3 * MIB)).toThrow(wrong);
    expect(() => torch.empty(3 * MIB, { device, dtype: torch.uint8 })).toThrow(wrong);
  });
});

test('memory_summary', () => {
  const { memory } = torch.mtia;
  const bytes = (size: number): Tensor => torch.empty(size, { device, dtype: torch.uint8 });
  stage(() => {
    const gone = [bytes(2 * MIB), bytes(2 * MIB), bytes(1024)];
    kept.push(bytes(1000));
    for (const x of gone) x.dispose();
    kept.push(bytes(1));
    bytes(2 * MIB).dispose();
  });
  memory.empty_cache();
  const summary = memory.memory_summary();
  const lines = summary.split('\n');
  expect(lines.pop()).toBe('');
  for (const line of lines) expect(line).toHaveLength(77);
  expect(lines.length).toBe(47);
  const expected = `
|===========================================================================|
|                  PyTorch MTIA memory summary, device ID 0                 |
|---------------------------------------------------------------------------|
|            MTIA OOMs: 0            |        mtiaMalloc retries: 0         |
|===========================================================================|
|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |
|---------------------------------------------------------------------------|
| Allocated memory      |   1536 B   |   4098 KiB |   6146 KiB |   6145 KiB |
|       from large pool |      0 B   |   4096 KiB |   6144 KiB |   6144 KiB |
|       from small pool |   1536 B   |      2 KiB |      2 KiB |      1 KiB |
|---------------------------------------------------------------------------|`;
  expect(lines.slice(0, 11)).toEqual(expected.trim().split('\n'));
  expect(lines).toContain('| MTIA reserved memory  |   2048 KiB |  22528 KiB |  22528 KiB |  20480 KiB |');
  expect(lines).toContain('| Allocations           |       2    |       4    |       6    |       4    |');
  expect(flat()).toMatchObject({
    'allocated_bytes.all.current': 1536,
    'allocated_bytes.all.peak': 4196352,
    'allocated_bytes.all.allocated': 6294016,
    'allocated_bytes.all.freed': 6292480,
  });
  const short = memory.memory_summary(null, true).split('\n');
  expect(short.some((line) => line.includes('from large pool'))).toBe(false);
  expect(short.length).toBeLessThan(lines.length);
});
