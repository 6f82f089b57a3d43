/** Memory before and after a forward pass. */
import torch from 'torch-mtia';
import { runAsProgram } from './program.ts';

const { nn } = torch;

export function memoryForward() {
  const device = torch.device(torch.backends.mtia.is_available() ? 'mtia' : 'cpu');
  const model = new nn.Linear(512, 256).to(device);
  const input = torch.randn(32, 512).to(device);
  console.log(`Memory before: ${torch.mtia.memory.allocated()} bytes`); // 590848
  const output = model(input);
  console.log(`Memory after: ${torch.mtia.memory.allocated()} bytes`); // 623616
  console.log(`Peak memory: ${torch.mtia.memory.max_memory_allocated()} bytes`); // 623616
  return output;
}

runAsProgram(import.meta.url, memoryForward);
