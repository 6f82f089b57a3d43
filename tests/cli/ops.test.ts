/** `mtia ops`, as it is typed. What it says is in src/cli/ops.test.ts. */
import { expect, test } from 'vitest';
import { mtia } from './mtia.ts';

test.concurrent('one operation, as text and as JSON', async () => {
  const { code, stdout } = await mtia(['ops', 'add']);
  expect(code).toBe(0);
  expect(stdout).toContain('devices   cpu mtia meta');
  const [row] = JSON.parse((await mtia(['ops', 'add', '--json'])).stdout);
  expect(row).toMatchObject({ name: 'add', grad: true, devices: ['cpu', 'mtia', 'meta'] });
});

test.concurrent('a name that is not there', async () => {
  const { code, stderr } = await mtia(['ops', 'ad']);
  expect(code).toBe(2);
  expect(stderr).toContain('there is no operation ad. Did you mean add');
});
