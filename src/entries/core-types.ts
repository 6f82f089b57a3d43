/** The types of `torch-mtia/core`: at run time there is `core.ts`. As with the whole library, the default export names types, too. */
export * from '../torch/core-namespace.ts';
export * as default from './core-members.ts';
