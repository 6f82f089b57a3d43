/** The counters, before anything has happened. */
import torch from 'torch-mtia';
import { runAsProgram } from './program.ts';

export function memoryCounters(): void {
  if (torch.backends.mtia.is_available()) {
    console.log(`Allocated MTIA memory: ${torch.mtia.memory.allocated()} bytes`);
  }
  if (torch.backends.mtia.is_available()) {
    console.log(`Reserved MTIA memory: ${torch.mtia.memory.reserved()} bytes`);
  }
  torch.mtia.memory.reset_peak_memory_stats();
  const peak = torch.mtia.memory.max_memory_allocated();
  console.log(`Peak allocated memory: ${peak} bytes`);
}

runAsProgram(import.meta.url, memoryCounters);
