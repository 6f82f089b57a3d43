/** The types of the members of `torch-mtia/core`'s default export. */
export * from '../torch/core-namespace.ts';
export * from '../torch/named-core.ts';
