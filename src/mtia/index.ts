/** `torch.mtia`: the virtual device. */
export * as _sanitizer from '../sanitizer/index.ts';
export * from './core.ts';
export { graph, graph_pool_handle, is_current_stream_capturing, MTIAGraph } from './graph.ts';
export * as memory from './memory/index.ts';
export { MemPool, type MemPoolOptions, use_mem_pool } from './mempool.ts';
export { record_memory_history, snapshot } from './memory/history.ts';
