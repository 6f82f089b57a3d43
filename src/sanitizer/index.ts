/**
 * `torch.mtia._sanitizer`: the stream check, as PyTorch's `torch.cuda._sanitizer`. `MTIA_SANITIZER=1` in the environment turns
 * it on from the start.
 */
import { sanitizer } from './sanitizer.ts';

export {
  MTIASanitizerErrors,
  type ReportedAccess,
  SynchronizationError,
  UnsynchronizedAccessError,
  UseAfterFreeError,
} from './errors.ts';

/** The check itself, to be turned on and off. */
export const mtia_sanitizer: { enable(): void; disable(): void; readonly enabled: boolean } = sanitizer;

/**
 * Has every access to memory checked from now on for one on another stream that nothing orders with it. What is found is
 * printed to the standard error output and thrown as `MTIASanitizerErrors`. Best called at the very beginning.
 */
export function enable_mtia_sanitizer(): void {
  sanitizer.enable();
}

type Environment = Record<string, string | undefined>;
const setting = (globalThis as { process?: { env?: Environment } }).process?.env?.['MTIA_SANITIZER'] ?? '';
if (setting !== '' && setting !== '0') sanitizer.enable();
