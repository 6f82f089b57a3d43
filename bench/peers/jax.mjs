// jax-js with its WebAssembly backend (one thread in Node.js), in the form that suits it best: jitted. Arrays are consumed by
// what they are given to, so `.ref` is needed for whatever is used again. Left out: the gradient of the large convolution, which
// takes it minutes.
import { requirePeer, versionOf } from './folder.mjs';
import { Lacking, serve, wave, whole } from './serve.mjs';

// It asks the browser how many cores there are; Node.js 20 has no navigator.
globalThis.navigator ??= { hardwareConcurrency: 2 };
// Its attention needs what Node.js has from 22 on.
const iterators = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
iterators.map ??= function* map(fn) {
  for (const one of this) yield fn(one);
};
iterators.filter ??= function* filter(passes) {
  for (const one of this) if (passes(one)) yield one;
};
iterators.toArray ??= function toArray() {
  return [...this];
};
const jax = requirePeer('@jax-js/jax');
const { numpy: np, nn, lax, jit, grad, valueAndGrad, blockUntilReady } = jax;
await jax.init('wasm');
jax.defaultDevice('wasm');

const DTYPES = { float32: np.float32, float64: np.float64 };
const array = (shape, seed, scale) => np.array(wave(shape, seed, scale)).reshape(shape);
const ints = (shape, below, step) => np.array(whole(shape, below, step), { dtype: np.int32 }).reshape(shape);

async function done(result) {
  for (const one of await blockUntilReady(Array.isArray(result) ? result : [result])) one.dispose();
}

/** The work of a function of arrays that stay. */
function of(fn, ...arrays) {
  const compiled = jit(fn);
  return {
    step: () => done(compiled(...arrays.map((one) => one.ref))),
    dispose: () => arrays.forEach((one) => void one.dispose()),
  };
}

/** Forward and backward from a gradient of ones. */
const both = (fn, ...arrays) =>
  of(
    grad((...leaves) => np.sum(fn(...leaves)), { argnums: arrays.map((_, i) => i) }),
    ...arrays,
  );

const linear = (x, weight, bias) => np.matmul(x, np.matrixTranspose(weight)).add(bias);
const gelu = (x) => x.ref.mul(0.5).mul(lax.erf(x.mul(Math.SQRT1_2)).add(1));

/** Over the axes that `axes` names, kept. */
function normalize(x, axes) {
  const options = { keepdims: true };
  const centred = x.ref.sub(np.mean(x, axes, options));
  const variance = np.mean(np.square(centred.ref), axes, options);
  return centred.div(np.sqrt(variance.add(1e-5)));
}
const layerNorm = (x, weight, bias) => normalize(x, -1).mul(weight).add(bias);

function crossEntropy(scores, kept) {
  return np.mean(np.sum(nn.logSoftmax(scores, -1).mul(kept), -1)).mul(-1);
}

/**
 * Training by Adam or SGD in one jitted function. `shapes` are those of PyTorch's parameters in their order: matrices become
 * waves, biases zero, scales (given as `{ scale: n }`) one. `data` stays; `lossOf(parameters, ...data)`.
 */
function training(shapes, data, lossOf, { lr, betas = [0.9, 0.999], decay = 0, clip = false, sgd = false }) {
  let parameters = shapes.map((shape, i) => {
    if (!Array.isArray(shape)) return np.ones([shape.scale]);
    if (shape.length === 1) return np.zeros(shape);
    return array(shape, i + 1, 1 / Math.sqrt(shape.slice(1).reduce((a, b) => a * b, 1)));
  });
  let first = sgd ? [] : parameters.map((one) => np.zerosLike(one.ref));
  let second = sgd ? [] : parameters.map((one) => np.zerosLike(one.ref));
  let steps = 0;
  const [beta1, beta2] = betas;

  const update = jit((before, m, v, corrections, ...given) => {
    const [loss, raw] = valueAndGrad((leaves) => lossOf(leaves, ...given))(before.map((one) => one.ref));
    let gradients = raw;
    if (clip) {
      const norm = np.sqrt(gradients.map((one) => np.sum(np.square(one.ref))).reduce((a, b) => a.add(b)));
      const factor = np.minimum(np.reciprocal(norm.add(1e-6)), 1);
      gradients = gradients.map((one) => one.mul(factor.ref));
    }
    if (sgd) return [loss, before.map((one, i) => one.sub(gradients[i].mul(lr))), m, v];
    const nextM = m.map((one, i) => one.mul(beta1).add(gradients[i].ref.mul(1 - beta1)));
    const nextV = v.map((one, i) => one.mul(beta2).add(np.square(gradients[i]).mul(1 - beta2)));
    const [c1, c2] = corrections;
    const next = before.map((one, i) => {
      const kept = decay > 0 && shapes[i].length > 1 ? one.mul(1 - lr * decay) : one;
      const spread = np.sqrt(nextV[i].ref.div(c2.ref)).add(1e-8);
      return kept.sub(nextM[i].ref.div(c1.ref).mul(lr).div(spread));
    });
    return [loss, next, nextM, nextV];
  });

  async function advance() {
    steps++;
    const corrections = [np.array(1 - beta1 ** steps), np.array(1 - beta2 ** steps)];
    const [loss, ...rest] = update(parameters, first, second, corrections, ...data.map((one) => one.ref));
    [parameters, first, second] = rest;
    return blockUntilReady(loss);
  }
  return { step: async () => (await advance()).dispose(), loss: async () => (await advance()).item() };
}

const bias = (n) => [n];
const scale = (n) => ({ scale: n });
const kept = (codes, classes) => nn.oneHot(codes, classes);

/** Blocks of four by two numbers: the maximum of each, halving both of the last axes. */
function maxPool(x) {
  const [n, c, h, w] = x.shape;
  return np.max(x.reshape([n, c, h / 2, 2, w / 2, 2]), [3, 5]);
}

function batchNorm(x, weight, shift) {
  const [c] = weight.shape;
  return normalize(x, [0, 2, 3])
    .mul(weight.reshape([1, c, 1, 1]))
    .add(shift.reshape([1, c, 1, 1]));
}

const SAME = [
  [1, 1],
  [1, 1],
];
const convBlock = (x, [weight, norm, shift]) => nn.relu(batchNorm(lax.conv(x, weight, [1, 1], SAME), norm, shift));

const VOCABULARY = 75;

function gpt({ batch, context, width, heads, layers }) {
  const block = [
    ...[scale(width), bias(width), [3 * width, width], bias(3 * width), [width, width], bias(width)],
    ...[scale(width), bias(width), [4 * width, width], bias(4 * width), [width, 4 * width], bias(width)],
  ];
  const blocks = Array.from({ length: layers }, () => block).flat();
  const shapes = [[VOCABULARY, width], [context, width], ...blocks, scale(width), bias(width)];
  const codes = whole([batch, context + 1], VOCABULARY, 31);
  const part = (from) =>
    kept(
      np.array(
        Int32Array.from({ length: batch * context }, (_, i) => {
          return codes[Math.floor(i / context) * (context + 1) + (i % context) + from];
        }),
        { dtype: np.int32 },
      ),
      VOCABULARY,
    );
  const attention = (x, [qkv, qkvBias, projection, projectionBias]) => {
    const all = linear(x, qkv, qkvBias).reshape([batch, context, 3, heads, width / heads]);
    const [q, k, v] = [0, 1, 2].map((i) => (i < 2 ? all.ref : all).slice([], [], i));
    const seen = nn.dotProductAttention(q, k, v, { isCausal: true });
    return linear(seen.reshape([batch * context, width]), projection, projectionBias);
  };
  const lossOf = ([tokens, positions, ...rest], seen, next) => {
    let x = np
      .matmul(seen, tokens.ref)
      .reshape([batch, context, width])
      .add(positions)
      .reshape([batch * context, width]);
    for (let i = 0; i < layers; i++) {
      const [n1, b1, qkv, qkvB, pr, prB, n2, b2, up, upB, down, downB] = rest.slice(12 * i, 12 * i + 12);
      x = x.ref.add(attention(layerNorm(x, n1, b1), [qkv, qkvB, pr, prB]));
      x = x.ref.add(linear(gelu(linear(layerNorm(x, n2, b2), up, upB)), down, downB));
    }
    const [norm, shift] = rest.slice(12 * layers);
    return crossEntropy(np.matmul(layerNorm(x, norm, shift), np.matrixTranspose(tokens)), next);
  };
  const options = { lr: 2e-3, betas: [0.9, 0.99], decay: 0.1, clip: true };
  return training(shapes, [part(0), part(1)], lossOf, options);
}

const TABLES = [5, 7, 8];

function dlrm({ batch }) {
  const dense = (from, to) => [[to, from], bias(to)];
  const shapes = [
    ...dense(6, 64),
    ...dense(64, 16),
    ...TABLES.map((rows) => [rows, 16]),
    ...dense(22, 128),
    ...dense(128, 64),
    ...dense(64, 1),
  ];
  // It has no embedding bags. With tables as small as these, products with the counts of the rows are the faster way anyway.
  const counts = TABLES.map((rows) =>
    np
      .array(
        Float32Array.from({ length: batch * rows }, (_, i) => Number(i % rows <= (11 * Math.floor(i / rows)) % rows)),
      )
      .reshape([batch, rows]),
  );
  const lossOf = (all, measures, target, ...bags) => {
    const bottom = linear(nn.relu(linear(measures, all[0], all[1])), all[2], all[3]);
    const vectors = [nn.relu(bottom), ...bags.map((bag, i) => np.matmul(bag, all[4 + i]))];
    const products = [];
    for (let i = 1; i < vectors.length; i++) {
      for (let j = 0; j < i; j++) products.push(np.sum(vectors[i].ref.mul(vectors[j].ref), 1, { keepdims: true }));
    }
    let y = np.concatenate([vectors[0].ref, ...products], 1);
    for (const one of vectors) one.dispose();
    for (let at = 7; at < 13; at += 2) {
      y = linear(y, all[at], all[at + 1]);
      if (at < 11) y = nn.relu(y);
    }
    return np.mean(np.square(y.reshape([batch]).sub(target)));
  };
  return training(shapes, [array([batch, 6], 101), array([batch], 102), ...counts], lossOf, { lr: 2e-3 });
}

const POINTWISE = {
  add: (a, b) => np.add(a, b),
  mul: (a, b) => np.multiply(a, b),
  exp: (a) => np.exp(a),
  gelu: (a) => gelu(a),
  sigmoid: (a) => nn.sigmoid(a),
};

await serve(versionOf('@jax-js/jax'), {
  matmul: ({ n, dtype = 'float32' }) => {
    if (!(dtype in DTYPES)) throw new Lacking(`no ${dtype}`);
    const [a, b] = [1, 2].map((seed) => array([n, n], seed).astype(DTYPES[dtype]));
    return of((x, y) => np.matmul(x, y), a, b);
  },
  add: ({ n }) => of((x, y) => np.add(x, y), array([n], 1), array([n], 2)),
  pointwise: ({ op, n }) => of(POINTWISE[op], ...[1, 2].slice(0, POINTWISE[op].length).map((seed) => array([n], seed))),
  sum: ({ n }) => of((x) => np.sum(x), array([n], 1)),
  softmax: ({ n }) => both((x) => nn.softmax(x, -1), array([n, n], 1)),
  layer_norm: ({ n }) => both(layerNorm, array([n, n], 1), np.ones([n]), np.zeros([n])),
  attention: ({ heads, length, width }) =>
    both(
      (q, k, v) => nn.dotProductAttention(q, k, v),
      ...[1, 2, 3].map((seed) => array([1, length, heads, width], seed)),
    ),
  linear: () =>
    training(
      [[5, 10], bias(5)],
      [array([3, 10], 101), array([3, 5], 102)],
      ([weight, shift], x, target) => np.mean(np.square(linear(x, weight, shift).sub(target))),
      { lr: 0.01, sgd: true },
    ),
  mlp: ({ batch, width, layers }) =>
    training(
      [...Array.from({ length: layers }, () => [[width, width], bias(width)]).flat(), [10, width], bias(10)],
      [array([batch, width], 101), kept(ints([batch], 10), 10)],
      (all, x, target) => {
        let y = x;
        for (let i = 0; i < layers; i++) y = nn.relu(linear(y, all[2 * i], all[2 * i + 1]));
        return crossEntropy(linear(y, all[2 * layers], all[2 * layers + 1]), target);
      },
      { lr: 1e-3 },
    ),
  digits: ({ batch }) =>
    training(
      [
        ...[[32, 1, 3, 3], scale(32), bias(32), [32, 32, 3, 3], scale(32), bias(32)],
        ...[[64, 32, 3, 3], scale(64), bias(64), [10, 256], bias(10)],
      ],
      [array([batch, 1, 8, 8], 101), kept(ints([batch], 10), 10)],
      (all, x, target) => {
        const low = maxPool(convBlock(convBlock(x, all.slice(0, 3)), all.slice(3, 6)));
        const high = maxPool(convBlock(low, all.slice(6, 9)));
        return crossEntropy(linear(high.reshape([batch, 256]), all[9], all[10]), target);
      },
      { lr: 2e-3 },
    ),
  dlrm,
  gpt,
});
