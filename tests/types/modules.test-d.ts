/** What an editor accepts and refuses of modules, optimizers, schedulers, gradient scaling and data. Checked by tests/types.test.ts. */
import torch, { type Tensor } from 'torch-mtia';
import { accepts, is } from './expect.ts';

const { nn, optim, utils } = torch;
const x = torch.randn(3, 4);

// Layers: PyTorch's arguments by position or by name; a module is called like a function.
is<Tensor>(
  new nn.Linear(4, 2)(x),
  new nn.Linear(4, 2, false)(x),
  new nn.Linear(4, 2, { bias: false, device: 'mtia' })(x),
);
is<Tensor>(
  new nn.Conv2d(3, 8, 3, { padding: 'same', padding_mode: 'reflect' })(x),
  new nn.Conv2d(3, 8, [3, 3], 1, 1)(x),
);
is<Tensor>(
  new nn.Dropout(0.5)(x),
  new nn.Dropout({ p: 0.5, inplace: true })(x),
  new nn.Embedding(10, 4, { padding_idx: 0 })(x),
);
is<Tensor>(new nn.CrossEntropyLoss({ label_smoothing: 0.1 })(x, x), new nn.MSELoss({ reduction: 'sum' })(x, x));
is<Tensor>(new nn.Sequential(new nn.Linear(4, 2), new nn.ReLU())(x));
// @ts-expect-error an argument is missing
new nn.Linear(4);
// @ts-expect-error no such option
new nn.Linear(4, 2, { biases: false });
// @ts-expect-error a layer takes a tensor
new nn.Linear(4, 2)('x');
// @ts-expect-error and nothing besides
new nn.Linear(4, 2)(x, x);
// @ts-expect-error classes are made with new
nn.Linear(4, 2);
// @ts-expect-error not a padding mode
new nn.Conv2d(3, 8, 3, { padding_mode: 'mirror' });
// @ts-expect-error not a reduction
new nn.MSELoss({ reduction: 'average' });
// @ts-expect-error a number
new nn.Dropout('0.5');

// Modules of one's own are typed by their forward.
class Net extends nn.Module {
  layer = new nn.Linear(4, 2);

  override forward(input: Tensor, scale = 1): { out: Tensor } {
    return { out: this.layer(input).mul(scale) };
  }
}
const net = new Net();
is<{ out: Tensor }>(net(x), net(x, 2), net.forward(x));
is<Net>(net.to('mtia'), net.train(), net.eval(), net.requires_grad_(false));
is<Iterable<Tensor>>(net.parameters());
is<Iterable<[string, Tensor]>>(net.named_parameters(), Object.entries(net.state_dict()) as [string, Tensor][]);
// @ts-expect-error an argument of its forward is missing
net();
// @ts-expect-error of another type
net(x, '2');
// @ts-expect-error no such member
accepts(net.layers);

// Optimizers and schedulers.
const optimizer = new optim.AdamW(net.parameters(), { lr: 1e-3, betas: [0.9, 0.99], weight_decay: 0.1 });
is<object>(new optim.SGD([{ params: net.layer.parameters(), lr: 0.1 }], { lr: 0.01, momentum: 0.9, nesterov: true }));
is<object>(
  new optim.lr_scheduler.StepLR(optimizer, 10, { gamma: 0.5 }),
  new optim.lr_scheduler.StepLR(optimizer, { step_size: 3 }),
);
is<number>(optimizer.step(() => 3));
// @ts-expect-error no such option
new optim.AdamW(net.parameters(), { learning_rate: 1e-3 });
// @ts-expect-error betas are two
new optim.AdamW(net.parameters(), { betas: [0.9] });
// @ts-expect-error parameters, not a module
new optim.SGD(net, { lr: 0.1 });
// @ts-expect-error a scheduler takes an optimizer
new optim.lr_scheduler.StepLR(net, 10);

// Gradient scaling.
const scaler = new torch.amp.GradScaler('mtia', { init_scale: 1024 });
is<Tensor>(scaler.scale(x));
is<[Tensor, Tensor]>(scaler.scale([x, x] as [Tensor, Tensor]));
scaler.step(optimizer);
// @ts-expect-error no such option
new torch.amp.GradScaler('mtia', { scale: 1024 });
// @ts-expect-error a tensor, or arrays of them
scaler.scale(3);

// Data: batches have the types of the samples.
const { DataLoader, StackDataset, TensorDataset } = utils.data;
for (const [images, labels] of new DataLoader(new TensorDataset(x, x), { batch_size: 2, shuffle: true })) {
  is<Tensor>(images, labels);
}
for (const { name, size } of new DataLoader([{ name: 'a', size: 1 }], 2)) {
  is<string[]>(name);
  is<Tensor>(size);
}
for (const batch of new DataLoader(new StackDataset({ image: [1], text: ['a'] }))) {
  is<Tensor>(batch.image);
  is<string[]>(batch.text);
}
for (const joined of new DataLoader([1, 2], { collate_fn: (samples: number[]) => samples.join() })) is<string>(joined);
is<Iterable<number>>(
  new utils.data.RandomSampler([1], { replacement: true }),
  new utils.data.WeightedRandomSampler([1], 3),
);
// @ts-expect-error no such option
new DataLoader([1], { batchsize: 2 });
// @ts-expect-error neither length and at nor iterable
new DataLoader(3);
// @ts-expect-error tensors of one dimension more than none
new TensorDataset([1, 2]);
// @ts-expect-error not a way to start workers
new DataLoader([1], { num_workers: 1, multiprocessing_context: 'fork' });
