import { afterEach, describe, expect, test, vi } from 'vitest';
import { device } from '../../tests/device.ts';
import torch, { type FunctionCtx } from '../index.ts';
import { lifetimesOf } from '../devices/storage.ts';
import { policiesOf } from './policies.ts';

type Tensor = InstanceType<typeof torch.Tensor>;

const { autocast } = torch;
const { bfloat16, float16, float32 } = torch;
const make = (...sizes: number[]) => torch.ones(sizes, { device });
const weight = () => torch.ones(2, 2, { device, requires_grad: true });
const enabled = () => torch.is_autocast_enabled(device);

afterEach(() => {
  expect(enabled()).toBe(false);
  vi.restoreAllMocks();
});

describe('regions', () => {
  test('as a callback, with using, and by hand', () => {
    const x = make(2, 2);
    expect(autocast(device, { dtype: bfloat16 }, () => x.mm(x).dtype)).toBe(bfloat16);
    const own = device === 'cpu' ? bfloat16 : float16;
    expect(autocast(device, () => x.mm(x).dtype)).toBe(own);
    const guard = autocast(device);
    expect(x.mm(x).dtype).toBe(own);
    guard.exit();
    expect(x.mm(x).dtype).toBe(float32);
    expect(autocast(device, bfloat16, true, false)[Symbol.dispose]()).toBeUndefined();
  });

  test('they nest, and leave what was before, also by an error', () => {
    const x = make(2, 2);
    autocast(device, { dtype: float16 }, () => {
      expect(torch.get_autocast_dtype(device)).toBe(float16);
      autocast(device, { enabled: false }, () => expect(x.mm(x).dtype).toBe(float32));
      autocast(device, { dtype: bfloat16 }, () => expect(x.mm(x).dtype).toBe(bfloat16));
      expect(x.mm(x).dtype).toBe(float16);
      expect(() =>
        autocast(device, { enabled: false, cache_enabled: false }, () => {
          throw new Error('mine');
        }),
      ).toThrow('mine');
      expect(torch.is_autocast_cache_enabled()).toBe(true);
      expect(x.mm(x).dtype).toBe(float16);
    });
    expect(torch.get_autocast_dtype(device)).toBe(device === 'cpu' ? bfloat16 : float16);
  });

  test('of the other device do nothing here', () => {
    const x = make(2, 2);
    expect(autocast(device === 'cpu' ? 'mtia' : 'cpu', () => x.mm(x).dtype)).toBe(float32);
  });

  test('of both devices at once: each has its lists', () => {
    autocast('cpu', { dtype: bfloat16 }, () =>
      autocast('mtia', { dtype: float16 }, () => {
        expect(make(2, 2).mm(make(2, 2)).dtype).toBe(device === 'cpu' ? bfloat16 : float16);
        expect(torch.ones(2, 2).mm(torch.ones(2, 2)).dtype).toBe(bfloat16);
        expect(make(2).to(bfloat16).exp().dtype).toBe(device === 'cpu' ? bfloat16 : float32);
      }),
    );
  });

  test('with new they decorate', () => {
    const x = make(2, 2);
    const amp = new autocast(device, { dtype: bfloat16 });
    expect(amp).toBeInstanceOf(autocast);
    expect(amp.device).toBe(device);
    expect(amp.fast_dtype).toBe(bfloat16);
    expect(enabled()).toBe(false);
    class Model extends torch.nn.Module {
      lin = new torch.nn.Linear(2, 2, { device });
      override forward(input: Tensor): Tensor {
        return this.lin(input);
      }
    }
    Model.prototype.forward = amp(Model.prototype.forward);
    expect(new Model()(x).dtype).toBe(bfloat16);
    expect(amp(new torch.nn.Linear(2, 2, { device }))(x).dtype).toBe(bfloat16);
    const guard = amp.enter();
    expect(enabled()).toBe(true);
    guard.exit();
    expect(() => amp(3 as never)).toThrow('autocast()(func) requires a callable, but got int');
    expect(() => autocast(device, (async () => 1) as () => unknown)).toThrow("write 'using _ = torch.autocast()'");
  });

  test('mistakes', () => {
    const bad = autocast as unknown as (...args: unknown[]) => unknown;
    expect(() => bad()).toThrow("autocast.__init__() missing 1 required positional argument: 'device_type'");
    expect(() => bad(3)).toThrow("Expected `device_type` of type `str`, got: `<class 'int'>`");
    expect(() => bad('meta')).toThrow('unsupported scalarType');
    expect(() => bad('foo')).toThrow('Expected one of cpu, cuda, ipu, xpu,');
    expect(() => bad('cpu', { dtypes: bfloat16 })).toThrow(
      "autocast.__init__() got an unexpected keyword argument 'dtypes'",
    );
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    expect(autocast(device, { dtype: float32 }, enabled)).toBe(false);
    expect((warned.mock.calls[0][0] as Error).message).toBe(
      `In ${device.toUpperCase()} autocast, but the target dtype is not supported. Disabling autocast.\n${device.toUpperCase()} Autocast only supports dtypes of torch.bfloat16, torch.float16 currently.`,
    );
    expect(autocast('cuda', () => torch.is_autocast_enabled())).toBe(false);
    expect((warned.mock.calls[1][0] as Error).message).toBe(
      'CUDA is not available or torch_xla is imported. Disabling autocast.',
    );
  });
});

describe('gradients', () => {
  test('have the dtype of the parameter, inside and outside of the region', () => {
    for (const inside of [false, true]) {
      const w = weight();
      const loss = autocast(device, { dtype: bfloat16 }, () => {
        const l = make(3, 2).mm(w).mul(2).sum();
        if (inside) l.backward();
        return l;
      });
      if (!inside) loss.backward();
      expect(w.grad!.dtype).toBe(float32);
      expect(w.grad!.tolist()).toEqual([
        [6, 6],
        [6, 6],
      ]);
    }
  });

  test('what backward reads is kept in the lower precision', () => {
    const w = weight();
    const y = autocast(device, { dtype: float16 }, () => make(2, 2).mm(w));
    expect(y.grad_fn!.name).toBe('MmBackward0');
    expect(y.grad_fn!.next_functions[1][0]!.name).toBe('ToCopyBackward0');
  });
});

describe('kept casts', () => {
  const castOf = (y: Tensor) => y.grad_fn!.next_functions[1][0];
  const product = (w: Tensor) => make(2, 2).mm(w);

  test('a parameter is cast once in the outermost region', () => {
    const w = weight();
    autocast(device, () => {
      const first = castOf(product(w));
      expect(castOf(product(w))).toBe(first);
      autocast(device, () => expect(castOf(product(w))).toBe(first));
      expect(castOf(product(w))).toBe(first);
      torch.clear_autocast_cache();
      expect(castOf(product(w))).not.toBe(first);
      autocast(device, { cache_enabled: false }, () => {
        expect(castOf(product(w))).not.toBe(castOf(product(w)));
      });
    });
    const [a, b] = [0, 1].map(() => autocast(device, () => castOf(product(w))));
    expect(a).not.toBe(b);
  });

  test('one made under no_grad serves those that record', () => {
    const w = weight();
    autocast(device, () => {
      torch.no_grad(() => expect(product(w).requires_grad).toBe(false));
      expect(product(w).requires_grad).toBe(true);
    });
  });

  test('nothing is kept under inference_mode, or of what is no parameter', () => {
    const w = weight();
    const x = make(2, 2);
    autocast(device, () => {
      torch.inference_mode(() => product(w));
      x.mm(x);
      torch.no_grad(() => {
        w.add_(1);
        x.add_(1);
      });
      expect(torch.inference_mode(() => product(w).index([0, 0]).item())).toBe(4);
      expect(x.mm(x).index([0, 0]).item()).toBe(8);
    });
  });

  test('they are let go of with the region, others at once', () => {
    const w = weight();
    const x = make(2, 2);
    const { backend } = w.storage;
    const count = () => lifetimesOf(backend)!.liveCount;
    torch.no_grad(() => autocast(device, () => x.mm(w)).dispose());
    const before = count();
    torch.no_grad(() => {
      const y = autocast(device, () => {
        const first = x.mm(w);
        // Itself, and the cast of the weight.
        expect(count()).toBe(before + 2);
        return first;
      });
      expect(count()).toBe(before + 1);
      y.dispose();
    });
    const y = autocast(device, () => x.mm(w));
    // The graph keeps the cast of x.
    expect(count()).toBe(before + 2);
    y.sum().backward();
    y.dispose();
  });
});

describe('functions of one’s own', () => {
  const { custom_fwd, custom_bwd } = torch.amp;
  const seen: unknown[] = [];
  const note = (x: Tensor) => seen.push(enabled(), x.dtype);

  class Plain extends torch.autograd.Function {
    static override forward = custom_fwd(
      (ctx: FunctionCtx, x: Tensor, w: Tensor) => {
        note(x);
        ctx.save_for_backward(x, w);
        return x.mm(w);
      },
      { device_type: device },
    );
    static override backward = custom_bwd(
      (ctx: FunctionCtx, grad: Tensor) => {
        const [x, w] = ctx.saved_tensors;
        note(grad);
        return [grad.mm(w.t()), x.t().mm(grad)];
      },
      { device_type: device },
    );
  }

  class Casting extends Plain {
    static override forward = custom_fwd({ device_type: device, cast_inputs: float32 })(
      (ctx: FunctionCtx, x: Tensor, w: Tensor) => {
        note(x);
        ctx.save_for_backward(x, w);
        return x.mm(w);
      },
    );
  }

  test('custom_fwd and custom_bwd: backward runs as forward did', () => {
    const w = weight();
    seen.length = 0;
    const y = autocast(device, { dtype: bfloat16 }, () => Plain.apply(make(2, 2), w));
    expect(y.dtype).toBe(bfloat16);
    y.sum().backward();
    expect(seen).toEqual([true, float32, true, bfloat16]);
    expect(w.grad!.dtype).toBe(float32);
  });

  test('cast_inputs: forward and backward run without autocast', () => {
    const w = weight();
    seen.length = 0;
    const y = autocast(device, { dtype: bfloat16 }, () => Casting.apply(make(2, 2).to(bfloat16), w));
    expect(y.dtype).toBe(float32);
    y.sum().backward();
    expect(seen).toEqual([false, float32, false, float32]);
    expect(Plain.apply(make(2, 2), weight()).dtype).toBe(float32);
  });

  test('mistakes', () => {
    const bad = custom_fwd as unknown as (...args: unknown[]) => unknown;
    expect(() => bad()).toThrow("custom_fwd() missing 1 required keyword-only argument: 'device_type'");
    expect(() => bad({ device_type: 3 })).toThrow("Expected `device_type` of type `str`, got: `<class 'int'>`");
    expect(() => bad({ device_type: 'cpu', cast: 3 })).toThrow("got an unexpected keyword argument 'cast'");
  });
});

describe('questions and settings', () => {
  test('dtypes of devices', () => {
    expect(torch.get_autocast_dtype('cpu')).toBe(bfloat16);
    expect(torch.get_autocast_dtype('mtia')).toBe(float16);
    expect(torch.get_autocast_dtype('cuda')).toBe(float16);
    expect(() => torch.get_autocast_dtype(3 as never)).toThrow(
      "get_autocast_dtype(): argument 'device_type' (position 1) must be str, not int",
    );
    torch.set_autocast_dtype('cpu', float16);
    expect(autocast('cpu', () => torch.ones(2, 2).mm(torch.ones(2, 2)).dtype)).toBe(float16);
    torch.set_autocast_dtype('cpu', bfloat16);
    expect(torch.amp.is_autocast_available('mtia')).toBe(true);
    expect(torch.amp.is_autocast_available('meta')).toBe(false);
  });

  test('on and off', () => {
    torch.set_autocast_enabled(device, true);
    expect(make(2, 2).mm(make(2, 2)).dtype).not.toBe(float32);
    torch.set_autocast_enabled(device, false);
    expect(() => torch.set_autocast_enabled(device, 1 as never)).toThrow(
      "set_autocast_enabled(): argument 'enabled' (position 2) must be bool, not int",
    );
    expect(() => torch.is_autocast_enabled('meta')).toThrow('unknown device type for autocast');
    expect(torch.autocast_increment_nesting()).toBe(1);
    expect(torch.autocast_decrement_nesting()).toBe(0);
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    expect(torch.is_autocast_cpu_enabled()).toBe(false);
    expect(torch.get_autocast_cpu_dtype()).toBe(bfloat16);
    expect(torch.get_autocast_gpu_dtype()).toBe(float16);
    expect((warned.mock.calls[0][0] as Error).message).toBe(
      "torch.is_autocast_cpu_enabled() is deprecated. Please use torch.is_autocast_enabled('cpu') instead.",
    );
  });
});

test('an op in no list costs nothing: it has no policy', () => {
  expect(policiesOf('add')).toBeNull();
  expect(policiesOf('relu')).toBeNull();
  expect(policiesOf('mm')).toMatchObject({ cpu: { cast: 'lower' }, mtia: { cast: 'lower' } });
});
