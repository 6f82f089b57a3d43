/**
 * Memory: lifetimes of storages, figures made of them, scopes, history and snapshots. Knows nothing of tensors and can be used alone.
 */
import { entryPointEnds } from './call-sites.ts';

export * from './allocator/index.ts';
export { AllocatorConsumer, type ConsumerOptions } from './allocator-consumer.ts';
export { clock } from './clock.ts';
export { Counter, formatSize, roundSize } from './counter.ts';
export { DeviceHistory, History, type HistoryOptions } from './history.ts';
export { type Consumer, GraphGroup, joinGroups, Lifetimes, newGroup, StorageRecord } from './lifetimes.ts';
export { collectInScope, keepFromScopes, type ScopeMember, scope, Temporaries } from './scope.ts';
export { canSweep, sweep, sweepEvery, sweepStatistics } from './sweep.ts';
export * from './snapshot/index.ts';
export { Stacks } from './stacks.ts';

entryPointEnds();
