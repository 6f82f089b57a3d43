/** One step of training: forward, loss, backward, update. */
import torch from 'torch-mtia';
import { runAsProgram } from './program.ts';

const { nn, optim } = torch;

export function trainingStep() {
  const device = torch.device(torch.backends.mtia.is_available() ? 'mtia' : 'cpu');
  const model = new nn.Linear(10, 5).to(device);
  const input = torch.randn(3, 10).to(device);
  const target = torch.randn(3, 5).to(device);
  const criterion = new nn.MSELoss();
  const optimizer = new optim.SGD(model.parameters(), { lr: 0.01 });
  optimizer.zero_grad();
  const output = model(input);
  const loss = criterion(output, target);
  loss.backward();
  optimizer.step();
  return { model, loss };
}

runAsProgram(import.meta.url, trainingStep);
