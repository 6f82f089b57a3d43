/**
 * Connectionist temporal classification: sums over all alignments of labels to time steps, in logarithms, and the
 * gradient. One sample after the other; alignments go through the labels with a blank before, between and after them,
 * of which there are 2 * target length + 1. Sums are added up in float64.
 */
import type { DType } from '../../core/dtype.ts';
import {
  type F64,
  f32,
  f64,
  type Func,
  type FuncRef,
  i32,
  type I32,
  i64,
  type Local,
  type Value,
  WasmModule,
} from './emitter.ts';
import { type Source, source } from './float-source.ts';

/** Positions of the words. Strides are in bytes. */
export const CTC = {
  /** The range of samples. */
  begin: 0,
  end: 1,
  /** [time, samples, classes] */
  x: 2,
  xTime: 3,
  xSample: 4,
  xClass: 5,
  /** int64, one after the other. */
  targets: 6,
  /** int64 [samples, 3]: input length, target length, where the targets begin. */
  lengths: 7,
  /** [samples, steps, states], contiguous: log of the sum over alignments up to here. */
  alpha: 8,
  /** [samples]: the negative log likelihoods. */
  loss: 9,
  /** Time steps and states that alpha has room for. */
  steps: 10,
  states: 11,
  blank: 12,
  classes: 13,
  fault: 14,
  forwardWords: 15,
  /** Backward: as alpha, of alignments from here on. */
  beta: 15,
  /** The losses' gradient. */
  grad: 16,
  gradStep: 17,
  /** [time, samples, classes], contiguous. */
  out: 18,
  samples: 19,
  time: 20,
  /** Whether the gradient of an infinite loss is 0. */
  zeroInfinity: 21,
  backwardWords: 22,
} as const;

type Word = Exclude<keyof typeof CTC, 'forwardWords' | 'backwardWords'>;
type Words = Record<Word, Local<'i32'>>;

function readWords(f: Func, args: Local<'i32'>, count: number): Words {
  const all = f.words(args, count);
  return Object.fromEntries(
    Object.entries(CTC)
      .filter(([name, at]) => !name.endsWith('Words') && at < count)
      .map(([name, at]) => [name, all[at]]),
  ) as Words;
}

/** log(exp(a) + exp(b) + exp(c)); minus infinity of three such. */
function logSum(m: WasmModule): FuncRef<readonly ['f64', 'f64', 'f64'], 'f64'> {
  return m.shared('ctc.log_sum', ['f64', 'f64', 'f64'], 'f64', (f, a, b, c) => {
    const exp = m.import('math', 'exp', ['f64'], 'f64');
    const log = m.import('math', 'log', ['f64'], 'f64');
    const most = f.let(f64.max(f64.max(a, b), c));
    f.if(f64.eq(most, -Infinity), () => f.set(most, f64.const(0)));
    const term = (x: Local<'f64'>): F64 => exp.call(f64.sub(x, most));
    return f64.add(log.call(f64.add(f64.add(term(a), term(b)), term(c))), most);
  });
}

/** One sample: its lengths, and how to reach what belongs to it. */
class Sample {
  readonly at: Local<'i32'>;
  readonly inputLength: Local<'i32'>;
  readonly targetLength: Local<'i32'>;
  /** The last state: the blank after all labels. */
  readonly last: Local<'i32'>;
  private readonly firstTarget: Local<'i32'>;

  constructor(
    private readonly f: Func,
    private readonly w: Words,
    private readonly s: Source,
  ) {
    this.at = f.local('i32');
    this.inputLength = f.local('i32');
    this.targetLength = f.local('i32');
    this.firstTarget = f.local('i32');
    this.last = f.local('i32');
  }

  begin(): void {
    const { f, w } = this;
    const row = f.let(i32.add(w.lengths, i32.mul(this.at, 24)));
    f.set(this.inputLength, i32.load(row, 0));
    f.set(this.targetLength, i32.load(row, 8));
    f.set(this.firstTarget, i32.load(row, 16));
    f.set(this.last, i32.shl(this.targetLength, 1));
  }

  /** The class of a state; a label that is none ends the kernel with the fault. */
  label(state: I32): Local<'i32'> {
    const { f, w } = this;
    const which = f.let(state);
    const label = f.let(w.blank);
    f.if(i32.and(which, 1), () => {
      const place = i32.add(this.firstTarget, i32.shr_u(which, 1));
      const value = f.let(i64.load(i32.add(w.targets, i32.shl(place, 3))));
      f.if(i64.ge_u(value, i64.extend_i32_u(w.classes)), () => f.return(w.fault));
      f.set(label, i32.wrap_i64(value));
    });
    return label;
  }

  x(time: I32, label: I32): F64 {
    const { f, w, s } = this;
    const place = i32.add(i32.mul(time, w.xTime), i32.add(i32.mul(this.at, w.xSample), i32.mul(label, w.xClass)));
    return wide(s, s.load(f, i32.add(w.x, place)));
  }

  /** Where a table of [samples, steps, states] has this time and state. */
  cell(table: I32, time: I32, state: I32): I32 {
    const { w, s } = this;
    const row = i32.add(i32.mul(this.at, w.steps), time);
    return i32.add(table, i32.mul(i32.add(i32.mul(row, w.states), state), s.bytes));
  }

  load(address: I32): F64 {
    return wide(this.s, this.s.load(this.f, address));
  }

  store(address: I32, value: F64): void {
    const { f, s } = this;
    const to = f.let(address);
    f.do(s.store(f, to, s.type === 'f64' ? value : f32.demote_f64(value)));
  }
}

const wide = (s: Source, x: Value): F64 => (s.type === 'f64' ? x : f64.promote_f32(x as Value<'f32'>)) as F64;

/** Losses and alpha. */
export function ctcKernel(dtype: DType): Uint8Array {
  const m = new WasmModule();
  const s = source(dtype, m);
  m.kernel((f, args) => {
    const w = readWords(f, args, CTC.forwardWords);
    const sample = new Sample(f, w, s);
    const { at, inputLength, targetLength, last } = sample;
    const [time, state, before] = [f.local('i32'), f.local('i32'), f.local('i32')];
    const past = f.local('i32');
    const [stay, step, skip, value] = [f.local('f64'), f.local('f64'), f.local('f64'), f.local('f64')];
    const alpha = (t: I32, k: I32): I32 => sample.cell(w.alpha, t, k);
    f.for(at, w.begin, w.end, 1, () => {
      sample.begin();
      f.set(past, i32.add(last, 1));
      f.for(time, 0, inputLength, 1, () => {
        f.set(before, i32.sub(time, 1));
        f.for(state, 0, past, 1, () => {
          const label = sample.label(state);
          f.if(
            i32.eqz(time),
            () => f.set(value, f64.const(0)),
            () => {
              f.set(stay, sample.load(alpha(before, state)));
              f.set(step, f64.const(-Infinity));
              f.set(skip, f64.const(-Infinity));
              f.if(state, () => f.set(step, sample.load(alpha(before, i32.sub(state, 1)))));
              f.if(i32.gt_u(state, 1), () => {
                const other = sample.label(i32.sub(state, 2));
                f.if(i32.ne(other, label), () => f.set(skip, sample.load(alpha(before, i32.sub(state, 2)))));
              });
              f.set(value, logSum(m).call(stay, step, skip));
            },
          );
          f.set(value, f64.add(value, sample.x(time, label)));
          // Alignments begin with the first blank or the first label.
          f.if(i32.and(i32.eqz(time), i32.gt_u(state, 1)), () => f.set(value, f64.const(-Infinity)));
          sample.store(alpha(time, state), value);
        });
      });
      // They end with the last label or the last blank.
      f.set(value, f64.const(0));
      f.if(
        inputLength,
        () => {
          f.set(before, i32.sub(inputLength, 1));
          f.set(stay, sample.load(alpha(before, last)));
          f.set(step, f64.const(-Infinity));
          f.if(targetLength, () => f.set(step, sample.load(alpha(before, i32.sub(last, 1)))));
          f.set(value, f64.neg(logSum(m).call(stay, step, f64.const(-Infinity))));
        },
        () => f.if(targetLength, () => f.set(value, f64.const(Infinity))),
      );
      sample.store(i32.add(w.loss, i32.mul(at, s.bytes)), value);
    });
    return undefined;
  });
  return m.toBytes();
}

/** The gradient of x, and beta on the way. */
export function ctcGradKernel(dtype: DType): Uint8Array {
  const m = new WasmModule();
  const s = source(dtype, m);
  m.kernel((f, args) => {
    const w = readWords(f, args, CTC.backwardWords);
    const exp = m.import('math', 'exp', ['f64'], 'f64');
    const sample = new Sample(f, w, s);
    const { at, inputLength, last } = sample;
    const [step, back, time, state, next, c] = Array.from({ length: 6 }, () => f.local('i32'));
    const past = f.local('i32');
    const [loss, grad, value, go, skip] = Array.from({ length: 5 }, () => f.local('f64'));
    const beta = (t: I32, k: I32): I32 => sample.cell(w.beta, t, k);
    const out = (t: I32, label: I32): I32 =>
      i32.add(w.out, i32.mul(i32.add(i32.mul(i32.add(i32.mul(t, w.samples), at), w.classes), label), s.bytes));
    const none = f64.const(-Infinity);
    const everywhere = (from: I32, fill: F64): void =>
      f.for(time, from, w.time, 1, () => f.for(c, 0, w.classes, 1, () => sample.store(out(time, c), fill)));

    f.for(at, w.begin, w.end, 1, () => {
      sample.begin();
      f.set(past, i32.add(last, 1));
      f.set(loss, sample.load(i32.add(w.loss, i32.mul(at, s.bytes))));
      f.set(grad, sample.load(i32.add(w.grad, i32.mul(at, w.gradStep))));
      f.if(
        i32.and(w.zeroInfinity, f64.eq(loss, Infinity)),
        () => everywhere(i32.const(0), f64.const(0)),
        () => {
          everywhere(i32.const(0), none);
          f.for(step, 0, inputLength, 1, () => {
            f.set(time, i32.sub(i32.sub(inputLength, 1), step));
            f.set(next, i32.add(time, 1));
            f.for(back, 0, past, 1, () => {
              f.set(state, i32.sub(last, back));
              const label = sample.label(state);
              f.if(
                step,
                () => {
                  f.set(value, sample.load(beta(next, state)));
                  f.set(go, none);
                  f.set(skip, none);
                  f.if(back, () => f.set(go, sample.load(beta(next, i32.add(state, 1)))));
                  f.if(i32.gt_u(back, 1), () => {
                    const other = sample.label(i32.add(state, 2));
                    f.if(i32.ne(other, label), () => f.set(skip, sample.load(beta(next, i32.add(state, 2)))));
                  });
                  f.set(value, logSum(m).call(value, go, skip));
                },
                () => {
                  f.set(value, f64.const(0));
                  f.if(i32.gt_u(back, 1), () => f.set(value, none));
                },
              );
              f.set(value, f64.add(value, sample.x(time, label)));
              sample.store(beta(time, state), value);
              f.set(value, f64.add(value, sample.load(sample.cell(w.alpha, time, state))));
              const to = f.let(out(time, label));
              sample.store(to, logSum(m).call(sample.load(to), value, none));
            });
          });
          f.for(time, 0, inputLength, 1, () => {
            f.for(c, 0, w.classes, 1, () => {
              const x = f.let(sample.x(time, c));
              const to = f.let(out(time, c));
              const through = exp.call(f64.sub(f64.add(sample.load(to), loss), x));
              sample.store(to, f64.mul(f64.sub(exp.call(x), through), grad));
            });
          });
          everywhere(inputLength, f64.const(0));
        },
      );
    });
    return undefined;
  });
  return m.toBytes();
}
