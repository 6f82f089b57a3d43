/**
 * The chips that a virtual device can stand for, as data. Capacities are what the device's memory holds; the time model
 * adds its own columns.
 */

const GIB = 1024 ** 3;

export interface Chip {
  readonly name: string;
  /** As people write it. */
  readonly title: string;
  /** Bytes of device memory. */
  readonly dram: number;
  /** Major and minor number of its generation, as `get_device_capability` gives them. */
  readonly capability: readonly [number, number];
}

/**
 * Sources: MTIA 100, ISCA 2023 (64 GB LPDDR5 as listed); MTIA 200 (2i), ISCA 2025 (64 to 128 GB LPDDR5; the larger);
 * MTIA 300, ISCA 2026 (six stacks of 36 GB HBM3E); H100 SXM, NVIDIA's data sheet (80 GB HBM3).
 */
export const CHIPS: readonly Chip[] = [
  { name: 'mtia-100', title: 'MTIA 100', dram: 64 * GIB, capability: [1, 0] },
  { name: 'mtia-200', title: 'MTIA 200 (2i)', dram: 128 * GIB, capability: [2, 0] },
  { name: 'mtia-300', title: 'MTIA 300', dram: 216 * GIB, capability: [3, 0] },
  { name: 'h100', title: 'NVIDIA H100 80GB', dram: 80 * GIB, capability: [9, 0] },
];

export const DEFAULT_CHIP = 'mtia-200';

/** The chip of that name, or undefined. */
export function findChip(name: string): Chip | undefined {
  return CHIPS.find((chip) => chip.name === name);
}
