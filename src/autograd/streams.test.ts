import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type StreamObserver, streamObservers } from '../accelerator/stream.ts';
import torch from '../index.ts';

const { mtia } = torch;
const device = 'mtia';
let seen: string[];
const observer: StreamObserver = {
  recorded: (_event, stream) => void seen.push(`record ${stream.stream_id}`),
  waited: (_event, stream) => void seen.push(`wait ${stream.stream_id}`),
};

beforeEach(() => {
  seen = [];
  streamObservers.push(observer);
});
afterEach(() => {
  streamObservers.splice(streamObservers.indexOf(observer), 1);
  mtia.set_stream(mtia.default_stream(0));
});

const leaf = () => torch.ones(3, { device, requires_grad: true });
/** Waits of one stream for another, as `3 after 0`. */
const waits = () => {
  const list: string[] = [];
  seen.forEach((what, i) => {
    if (what.startsWith('wait')) list.push(`${what.slice(5)} after ${seen[i - 1].slice(7)}`);
  });
  return list;
};

describe('a node runs on the stream of its op', () => {
  test('which its gradients are allocated on, and which waits for the caller; the caller waits for the leaves', () => {
    const s = new torch.Stream(device);
    const id = s.stream_id;
    const x = leaf();
    s.wait_stream(mtia.current_stream());
    const [hidden, y] = mtia.stream(s, () => {
      const hidden = x.mul(2);
      hidden.retain_grad();
      return [hidden, hidden.sum()];
    });
    seen = [];
    y.backward();
    expect(waits()).toEqual([`${id} after 0`, `0 after ${id}`]);
    expect(hidden.grad!.storage.record.stream).toBe(id);
    expect(x.grad!.tolist()).toEqual([2, 2, 2]);
    expect(mtia.current_stream().stream_id).toBe(0);
  });

  test('gradients go from stream to stream, and are added up on that of the node that they go to', () => {
    const [a, b] = [new torch.Stream(device), new torch.Stream(device)];
    const x = leaf();
    const h = x.mul(1);
    const left = mtia.stream(a, () => h.mul(2));
    const right = mtia.stream(b, () => h.mul(3));
    const y = left.add(right).sum();
    seen = [];
    y.backward();
    expect(waits().sort()).toEqual(
      [`${a.stream_id} after 0`, `${b.stream_id} after 0`, `0 after ${a.stream_id}`, `0 after ${b.stream_id}`].sort(),
    );
    expect(x.grad!.tolist()).toEqual([5, 5, 5]);
  });

  test('backward called on another stream', () => {
    const s = new torch.Stream(device);
    const x = leaf();
    const y = x.mul(2).sum();
    seen = [];
    mtia.stream(s, () => y.backward());
    expect(waits()).toEqual([`0 after ${s.stream_id}`, `${s.stream_id} after 0`]);
    expect(x.grad!.storage.record.stream).toBe(0);
  });

  test('autograd.grad waits for what it gives', () => {
    const s = new torch.Stream(device);
    const x = leaf();
    const [h, y] = mtia.stream(s, () => {
      const h = x.mul(2);
      return [h, h.mul(3).sum()];
    });
    seen = [];
    const [grad] = torch.autograd.grad(y, h);
    expect(waits()).toEqual([`${s.stream_id} after 0`, `0 after ${s.stream_id}`]);
    expect(grad!.tolist()).toEqual([3, 3, 3]);
  });

  test('the streams are what they were after an error, too', () => {
    const s = new torch.Stream(device);
    const x = leaf();
    const y = mtia.stream(s, () => {
      const h = x.mul(2);
      h.register_hook(() => {
        throw new Error('from the hook');
      });
      return h.sum();
    });
    expect(() => y.backward()).toThrow('from the hook');
    expect(mtia.current_stream().stream_id).toBe(0);
  });

  test('on one stream nothing waits', () => {
    const s = new torch.Stream(device);
    mtia.stream(s, () => {
      const x = leaf();
      const y = x.mul(2).sum();
      seen = [];
      y.backward();
    });
    expect(seen).toEqual([]);
  });
});
