// Milliseconds from the import to the first result, measured inside the process: `node first-result.mjs ours cpu|mtia`, or
// `tfjs`, or `jax`.
const [, , who, device] = process.argv;

const FIRST = {
  ours: async () => {
    const { default: torch } = await import('torch-mtia');
    return torch.ones(3, { device }).add(1).sum().item();
  },
  tfjs: async () => {
    const { requirePeer } = await import('./peers/folder.mjs');
    const tf = requirePeer('@tensorflow/tfjs');
    requirePeer('@tensorflow/tfjs-backend-wasm');
    await tf.setBackend('wasm');
    return tf.sum(tf.add(tf.ones([3]), 1)).dataSync()[0];
  },
  jax: async () => {
    const { requirePeer } = await import('./peers/folder.mjs');
    // It asks the browser how many cores there are.
    globalThis.navigator ??= { hardwareConcurrency: 2 };
    const { init, defaultDevice, numpy } = requirePeer('@jax-js/jax');
    await init('wasm');
    defaultDevice('wasm');
    return numpy.sum(numpy.ones([3]).add(1)).item();
  },
};

console.log = () => {};
const start = performance.now();
const result = await FIRST[who]();
const milliseconds = performance.now() - start;
if (result !== 6) throw new Error(`${who}: ${result}`);
process.stdout.write(`${milliseconds}\n`, () => process.exit(0));
