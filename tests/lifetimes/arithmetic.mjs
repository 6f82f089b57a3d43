// What the models of styles.testing.ts hold when they hold most, by hand: the sizes of each tensor, all float32 unless a name
// says otherwise. From PyTorch's rules on what an operation saves, not from a measurement.

/** float32 of these sizes, as the allocator rounds it; `bytes` for other dtypes. */
const taken = ({ sizes, itemsize = 4 }) => 512 * Math.ceil((sizes.reduce((n, size) => n * size, 1) * itemsize) / 512);

const tensor = (name, ...sizes) => ({ name, sizes });
const ids = (name, ...sizes) => ({ name, sizes, itemsize: 8 });
/** Each a second time, as the optimizer's momentum. */
const momentum = (parameters) => parameters.map(({ name, sizes }) => tensor(`momentum of ${name}`, ...sizes));
/** The loss itself is computed in a tensor of the size of what it compares, and keeps that. */
const GRADIENT_OF_LOSS = tensor('gradient of the loss');

const MLP = [tensor('W1', 256, 512), tensor('W2', 512, 128)];
const MLP_HELD = [...MLP, ...momentum(MLP), tensor('x', 64, 256), tensor('target', 64, 128)];

const BAGS = [tensor('table', 200, 64), tensor('W', 80, 128)];
const BAGS_HELD = [
  ...BAGS,
  ...momentum(BAGS),
  ids('ids', 480),
  ids('offsets', 96),
  tensor('dense', 96, 16),
  tensor('target', 96, 128),
];
/** Of embedding_bag, for its backward. */
const BAGS_SAVED = [ids('size of each bag', 96), ids('largest of each bag', 96)];

const BLOCK = [...['Q', 'K', 'V', 'O'].map((name) => tensor(name, 64, 64)), tensor('scale', 64), tensor('shift', 64)];
const BLOCK_HELD = [...BLOCK, ...momentum(BLOCK), tensor('x', 96, 64), tensor('target', 96, 64)];
const BLOCK_SAVED = [
  tensor('layer_norm', 96, 64),
  tensor('mean', 96, 1),
  tensor('1 / deviation', 96, 1),
  ...['q', 'k', 'v'].map((name) => tensor(name, 96, 64)),
  tensor('softmax', 96, 96),
];

/** Model and stage: the operation at which most is held, what is held throughout the step, and what is in addition. */
export const HELD = {
  mlp: {
    forward: ['relu', MLP_HELD, [tensor('x W1', 64, 512), tensor('relu', 64, 512)]],
    backward: [
      'gradient of W1',
      MLP_HELD,
      [
        tensor('loss', 64, 128),
        GRADIENT_OF_LOSS,
        tensor('gradient of W2', 512, 128),
        tensor('gradient of x W1', 64, 512),
        tensor('gradient of W1', 256, 512),
      ],
    ],
  },
  bags: {
    forward: [
      'mse_loss',
      BAGS_HELD,
      [...BAGS_SAVED, tensor('cat', 96, 80), tensor('y', 96, 128), tensor('squares', 96, 128), tensor('loss', 96, 128)],
    ],
    backward: [
      'gradient of W',
      BAGS_HELD,
      [
        ...BAGS_SAVED,
        tensor('cat', 96, 80),
        tensor('loss', 96, 128),
        GRADIENT_OF_LOSS,
        tensor('gradient of y', 96, 128),
        tensor('gradient of cat', 96, 80),
        tensor('gradient of W', 80, 128),
      ],
    ],
  },
  transformer: {
    forward: [
      'mse_loss',
      BLOCK_HELD,
      [
        ...BLOCK_SAVED,
        tensor('attention', 96, 64),
        tensor('sum', 96, 64),
        tensor('squares', 96, 64),
        tensor('loss', 96, 64),
      ],
    ],
    backward: [
      'gradient of v',
      BLOCK_HELD,
      [
        ...BLOCK_SAVED,
        tensor('loss', 96, 64),
        GRADIENT_OF_LOSS,
        tensor('gradient of attention', 96, 64),
        tensor('gradient of O', 64, 64),
        tensor('gradient of softmax', 96, 96),
        tensor('gradient of v', 96, 64),
      ],
    ],
  },
};

/** Bytes of a list of tensors. */
export const bytesOf = (tensors) => tensors.reduce((sum, one) => sum + taken(one), 0);
