/** `torch.utils.data.get_worker_info`: what a dataset in a loader's worker may ask about it. */

/** What `get_worker_info` gives in a worker. */
export interface WorkerInfo {
  /** Which worker this is, from 0. */
  readonly id: number;
  readonly num_workers: number;
  /** What torch's generator was seeded with here. */
  readonly seed: bigint;
  /** The dataset of this worker. */
  readonly dataset: unknown;
}

let info: WorkerInfo | null = null;

/** `torch.utils.data.get_worker_info()`: about the worker that this runs in; null in the main thread. */
export function get_worker_info(): WorkerInfo | null {
  return info;
}

export function setWorkerInfo(now: WorkerInfo): void {
  info = now;
}
