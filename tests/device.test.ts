import { expect, test } from 'vitest';
import { device } from './device.ts';

test('the project decides which device is tested', () => {
  expect(device).toBe(process.env['TEST_DEVICE'] ?? 'cpu');
  if (device === 'mtia') expect(['worker', 'inline']).toContain(process.env['MTIA_EXECUTOR']);
});
