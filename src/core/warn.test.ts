import { expect, test, vi } from 'vitest';
import torch from '../index.ts';
import { warn } from './warn.ts';

test('a warning that waits to be shown keeps no tensor of the functions that it came from', () => {
  const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const step = () => {
    const x = torch.ones(1000, { device: 'mtia' });
    [1].forEach(() => {
      warn(`about ${x.numel()} elements`);
    });
  };
  step();
  const none = torch.mtia.memory_allocated();
  for (let i = 0; i < 5; i++) step();
  expect(torch.mtia.memory_allocated()).toBe(none);
  const warnings = emit.mock.calls.map(([warning]) => warning as Error);
  expect(String(warnings[0])).toBe('UserWarning: about 1000 elements');
  expect(warnings[0].stack).toContain('warn.test.ts');
  emit.mockRestore();
});
