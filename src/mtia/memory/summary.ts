/** `torch.mtia.memory.memory_summary`. */
import { memorySummary } from '../../memory/allocator/summary.ts';
import { indexOf, type MtiaDevice } from '../device.ts';
import { committed } from './figures.ts';
import { unused } from './statistics.ts';

/** `torch.cuda.memory_summary(device)`: the statistics as a table; zeros before the device's first use. */
export function memory_summary(device?: MtiaDevice, abbreviated = false): string {
  const figures = committed(device);
  const statistics = figures?.allocator.nestedStatistics() ?? unused();
  return memorySummary(statistics, { name: 'MTIA', index: indexOf(device), abbreviated });
}
