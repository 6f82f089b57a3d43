/** The rest of `torch.mtia.memory`: a limit for this process, the detailed statistics, and giving cached memory back. */
import torch from 'torch-mtia';
import { runAsProgram } from './program.ts';

export function memoryMethods(): void {
  torch.mtia.memory.set_per_process_memory_fraction(0.5);
  try {
    const statistics = torch.mtia.memory.get_memory_stats();
    console.log(`${Object.keys(statistics).length} statistics`);
  } catch (error) {
    console.log(String(error)); // without the backend, or before the first operation
  }
  const device = torch.device(torch.backends.mtia.is_available() ? 'mtia' : 'cpu');
  const x = torch.ones(256, { device });
  console.log(`Allocated: ${torch.mtia.memory.allocated()} bytes`); // 1024
  x.dispose();
  torch.mtia.memory.empty_cache();
  console.log(`Reserved: ${torch.mtia.memory.reserved()} bytes`); // 0
  torch.mtia.memory.set_per_process_memory_fraction(1);
}

runAsProgram(import.meta.url, memoryMethods);
