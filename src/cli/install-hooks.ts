/** Installs the module hooks of `mtia run` in this thread. */
import * as module from 'node:module';

export async function installHooks(): Promise<void> {
  process.setSourceMapsEnabled(true);
  // In this thread where Node.js can (22.15, 24); before that in a thread of their own, which loads them itself.
  const { registerHooks } = module as { registerHooks?: (hooks: object) => void };
  if (registerHooks) registerHooks(await import('./hooks.ts'));
  else module.register(new URL('./hooks.js', import.meta.url));
}
