/** Makes autocast known to whoever calls ops. Loaded before the ops are put where users find them, it costs those that are never cast nothing. */
import type { Op } from '../ops/registry.ts';
import { runCast } from './cast.ts';
import { type Policies, policiesOf } from './policies.ts';
import { autocast } from './state.ts';

const known = new Map<Op, Policies | null>();

function policiesFor(op: Op): Policies | null {
  let policies = known.get(op);
  if (policies === undefined) known.set(op, (policies = policiesOf(op.name)));
  return policies;
}

autocast.casting = { policiesOf, run: (op, index, values) => runCast(op, policiesFor(op), index, values) };
