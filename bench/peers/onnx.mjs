// ONNX Runtime, which runs single operators forward: `onnx.mjs node` is native, `onnx.mjs web` WebAssembly (one thread in
// Node.js).
import { requirePeer, versionOf } from './folder.mjs';
import { model } from './onnx-model.mjs';
import { Lacking, serve, wave } from './serve.mjs';

const name = `onnxruntime-${process.argv[2]}`;
const { InferenceSession, Tensor } = requirePeer(name);

const DATA = { float32: (data) => data, float64: (data) => Float64Array.from(data) };

async function run(operator, inputs, output, { dtype = 'float32', attributes } = {}) {
  if (!(dtype in DATA)) throw new Lacking(`no ${dtype}`);
  const session = await InferenceSession.create(model(operator, dtype, inputs, output, attributes), {
    intraOpNumThreads: 2,
    logSeverityLevel: 3,
  });
  const feeds = Object.fromEntries(
    inputs.map((shape, i) => [String.fromCharCode(97 + i), new Tensor(dtype, DATA[dtype](wave(shape, i + 1)), shape)]),
  );
  return { step: () => session.run(feeds), dispose: () => void session.release() };
}

const POINTWISE = { add: ['Add', 2], mul: ['Mul', 2], exp: ['Exp', 1], gelu: ['Gelu', 1], sigmoid: ['Sigmoid', 1] };

await serve(versionOf(name), {
  matmul: ({ n, dtype }) =>
    run(
      'MatMul',
      [
        [n, n],
        [n, n],
      ],
      [n, n],
      { dtype },
    ),
  add: ({ n }) => run('Add', [[n], [n]], [n]),
  pointwise: ({ op, n }) => run(POINTWISE[op][0], Array(POINTWISE[op][1]).fill([n]), [n]),
  sum: ({ n }) => run('ReduceSum', [[n]], [1]),
});
