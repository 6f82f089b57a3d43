/** `torch.get_device_module`. */

import { cuda, mps, xpu } from '../absent/index.ts';
import { current_accelerator } from '../accelerator/device.ts';
import { Device, parseDevice } from '../core/device.ts';
import { RuntimeError } from '../core/errors.ts';
import * as mtia from '../mtia/index.ts';
import { typeName } from '../tensor/type-name.ts';
import { cpu } from './cpu.ts';

const MODULES = { cpu, mtia, cuda, xpu, mps };
type Modules = typeof MODULES;

/** `torch.get_device_module(device)`: `torch.mtia` for an mtia device, and so on; by default the accelerator's or `torch.cpu`. */
export function get_device_module<Name extends keyof Modules>(device: Name): Modules[Name];
export function get_device_module(device?: Device | string | null): Modules[keyof Modules];
export function get_device_module(device?: Device | string | null): Modules[keyof Modules] {
  let type: string;
  if (device === null || device === undefined) type = current_accelerator()?.type ?? 'cpu';
  else if (device instanceof Device || typeof device === 'string') type = parseDevice(device).type;
  else
    throw new RuntimeError(
      `Invalid value of device '${typeof device === 'object' ? typeName(device) : String(device)}', expect torch.device, str, or None`,
    );
  const found = (MODULES as Partial<Record<string, Modules[keyof Modules]>>)[type];
  if (found === undefined) {
    throw new RuntimeError(`Device '${type}' does not have a corresponding module registered as 'torch.${type}'.`);
  }
  return found;
}
