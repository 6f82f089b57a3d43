/** What the loaders of both formats share: how a file is refused, and what they work with. */
import type { Device } from '../core/device.ts';
import { UnpicklingError } from './errors.ts';
import type { Restore } from './location.ts';
import type { FileStorage } from './storages.ts';
import { Budget, type UnpicklerOptions } from './unpickler.ts';

export const UNSAFE =
  'In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from `False` to `True`. Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can result in arbitrary code execution. Do it only if you got the file from a trusted source.';
const DOCS =
  '\n\nCheck the documentation of torch.load to learn more about types accepted by default with weights_only https://pytorch.org/docs/stable/generated/torch.load.html.';
/** The way out here, where no setting makes a file be executed. */
export const WAY_OUT =
  '\n\nHere nothing in a file is executed, with weights_only=False neither. In PyTorch, save tensors and plain containers instead, such as `torch.save(model.state_dict(), f)`.';

/** PyTorch's words around the reason why a file was refused. */
export function refusal(message: string): UnpicklingError {
  if (message.includes('was not an allowed global by default.')) {
    return new UnpicklingError(
      `Weights only load failed. This file can still be loaded, to do so you have two options, \u001b[1mdo those steps only if you trust the source of the checkpoint\u001b[0m. \n\t(1) ${UNSAFE}\n\t(2) Alternatively, to load with \`weights_only=True\` please check the recommended steps in the following error message.\n\tWeightsUnpickler error: ${message}${DOCS}${WAY_OUT}`,
    );
  }
  if (/\S+ must be \S+ to load/.test(message)) {
    return new UnpicklingError(`Weights only load failed. ${message}\n ${UNSAFE}\n`);
  }
  const blocked = /whose module \S+ is blocked/.test(message);
  const please = blocked
    ? ''
    : 'Please file an issue with the following so that we can make `weights_only=True` compatible with your use case: WeightsUnpickler error: ';
  return new UnpicklingError(`Weights only load failed. ${UNSAFE}\n${please}\n\n${message}${DOCS}`);
}

/** What the loaders of both formats work with. */
export interface Loading {
  readonly restore: Restore;
  /** Options of the unpickler. @param deviceOf where a tensor goes that is copied while the pickle is read */
  readonly unpickler: (
    persistentLoad: (id: unknown) => unknown,
    deviceOf?: (location: string) => Device,
  ) => UnpicklerOptions;
  /** Storages that were made; those that no tensor took are freed in the end. */
  readonly storages: FileStorage[];
}

/** Room for copies: no checkpoint needs more than its pickle is long, but small ones may. */
export const budgetFor = (bytes: number) => new Budget((64 << 20) + 16 * bytes);
