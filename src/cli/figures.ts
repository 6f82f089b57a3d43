/**
 * What the command shows of the devices. Looking at them does not use them: a device that the program never touched
 * stays uncreated, with zeros.
 */
import { configuration, cpuBackend, createdBackends } from '../devices/registry.ts';
import type torch from '../index.ts';
import { UsageError } from './style.ts';

export type Torch = typeof torch;

export interface DeviceFigures {
  /** `mtia:0` */
  name: string;
  chip: string;
  /** Bytes, as all memory figures here. */
  capacity: number;
  allocated: number;
  reserved: number;
  peak: number;
  /** Launches and copies handed to the device. */
  launches: number;
}

export interface Figures {
  /** Where launches on mtia run: `worker` or `inline`; `auto` before the first use. */
  executor: string;
  cpuLaunches: number;
  devices: DeviceFigures[];
}

/** @throws UsageError if the environment (`MTIA_CHIP` and its like) does not describe a device */
export function deviceFigures(torch: Torch): Figures {
  try {
    return figures(torch);
  } catch (error) {
    if (error instanceof torch.ValueError) throw new UsageError(error.message);
    throw error;
  }
}

function figures({ mtia }: Torch): Figures {
  const { devices, chip, memory, executor } = configuration();
  const created = createdBackends();
  return {
    executor: created[0]?.running ?? executor,
    cpuLaunches: cpuBackend().sequence,
    devices: Array.from({ length: devices }, (_, index) => ({
      name: `mtia:${index}`,
      chip: chip.name,
      capacity: memory,
      allocated: mtia.memory.allocated(index),
      reserved: mtia.memory.reserved(index),
      peak: mtia.memory.max_memory_allocated(index),
      launches: created.find(({ device }) => device.index === index)?.sequence ?? 0,
    })),
  };
}
