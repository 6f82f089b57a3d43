/** The doc lines of ops. The build takes them out of the library, and puts them here. */
import type { Op } from '../ops/registry.ts';

export const docOf = (op: Op): string => op.doc;
