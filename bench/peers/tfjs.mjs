// TensorFlow.js with its WebAssembly backend (SIMD; it starts no threads in Node.js). What the backend has no kernels for is
// left out: the gradients of convolutions and of embeddings, and erf, which GELU needs.
import { requirePeer } from './folder.mjs';
import { Lacking, serve, wave, whole } from './serve.mjs';

// Its greeting and warnings would be taken for answers.
console.log = console.warn = () => {};
const tf = requirePeer('@tensorflow/tfjs');
const { version_wasm: version } = requirePeer('@tensorflow/tfjs-backend-wasm');
await tf.setBackend('wasm');
await tf.ready();

const tensor = (shape, seed, scale) => tf.tensor(wave(shape, seed, scale), shape);

/** The work of a function that makes one tensor. */
const of = (make) => ({ step: () => make().dispose() });

/** Forward and backward from a gradient of ones. */
function both(leaves, forward) {
  const gradients = tf.grads(forward);
  const ones = tf.tidy(() => tf.onesLike(forward(...leaves)));
  return { step: () => tf.dispose(gradients(leaves, ones)) };
}

const POINTWISE = { add: tf.add, mul: tf.mul, exp: tf.exp, sigmoid: tf.sigmoid };

function layerNorm(x, weight, bias) {
  const { mean, variance } = tf.moments(x, -1, true);
  return x
    .sub(mean)
    .mul(tf.rsqrt(variance.add(1e-5)))
    .mul(weight)
    .add(bias);
}

/** Layers as in PyTorch: weights of [out, in], waves in the order of the parameters; biases zero. */
function layers(sizes) {
  return sizes.map(([from, to], i) => ({
    weight: tf.variable(tensor([to, from], 2 * i + 1, 1 / Math.sqrt(from))),
    bias: tf.variable(tf.zeros([to])),
  }));
}
const apply = ({ weight, bias }, x) => tf.add(tf.matMul(x, weight, false, true), bias);

function training(optimizer, lossOf) {
  const minimize = () => tf.tidy(() => optimizer.minimize(lossOf, true));
  return {
    step: () => minimize().dispose(),
    loss: () => {
      const loss = minimize();
      const [value] = loss.dataSync();
      loss.dispose();
      return value;
    },
  };
}

function crossEntropy(scores, classes) {
  const kept = tf.oneHot(classes, scores.shape[1]).toFloat();
  return tf.neg(tf.mean(tf.sum(tf.mul(tf.logSoftmax(scores), kept), 1)));
}

await serve(version, {
  matmul: ({ n, dtype = 'float32' }) => {
    if (dtype !== 'float32') throw new Lacking(`no ${dtype}`);
    const [a, b] = [tensor([n, n], 1), tensor([n, n], 2)];
    return of(() => tf.matMul(a, b));
  },
  add: ({ n }) => {
    const [a, b] = [tensor([n], 1), tensor([n], 2)];
    return of(() => tf.add(a, b));
  },
  pointwise: ({ op, n }) => {
    if (!(op in POINTWISE)) throw new Lacking(`no ${op}`);
    const [a, b] = [tensor([n], 1), tensor([n], 2)];
    return of(() => POINTWISE[op](a, b));
  },
  sum: ({ n }) => {
    const a = tensor([n], 1);
    return of(() => tf.sum(a));
  },
  softmax: ({ n }) => both([tensor([n, n], 1)], (x) => tf.softmax(x)),
  layer_norm: ({ n }) => both([tensor([n, n], 1), tf.ones([n]), tf.zeros([n])], layerNorm),
  attention: ({ heads, length, width }) => {
    const leaves = [1, 2, 3].map((seed) => tensor([heads, length, width], seed));
    return both(leaves, (q, k, v) => tf.matMul(tf.softmax(tf.matMul(q, k, false, true).mul(1 / Math.sqrt(width))), v));
  },
  adam: ({ tensors, elements }) => {
    const parameters = Array.from({ length: tensors }, () => tf.variable(tf.ones([elements])));
    const gradients = Object.fromEntries(parameters.map(({ name }) => [name, tf.ones([elements])]));
    const optimizer = tf.train.adam(0.001);
    return { step: () => optimizer.applyGradients(gradients) };
  },
  linear: () => {
    const [layer] = layers([[10, 5]]);
    const [x, target] = [tensor([3, 10], 101), tensor([3, 5], 102)];
    return training(tf.train.sgd(0.01), () => tf.mean(tf.squaredDifference(apply(layer, x), target)));
  },
  mlp: ({ batch, width, layers: count }) => {
    const all = layers([...Array.from({ length: count }, () => [width, width]), [width, 10]]);
    const last = all.pop();
    const [x, target] = [tensor([batch, width], 101), tf.tensor(whole([batch], 10), [batch], 'int32')];
    return training(tf.train.adam(0.001, 0.9, 0.999, 1e-8), () => {
      const hidden = all.reduce((y, layer) => tf.relu(apply(layer, y)), x);
      return crossEntropy(apply(last, hidden), target);
    });
  },
});
