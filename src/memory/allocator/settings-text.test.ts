import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS, parseAllocatorConfig } from './settings.ts';
import { settingsText } from './settings-text.ts';

test('the defaults are nothing', () => {
  expect(settingsText(DEFAULT_SETTINGS)).toBe('');
  expect(settingsText(parseAllocatorConfig('backend:native,pinned_num_register_threads:4'))).toBe('');
});

test.each([
  'expandable_segments:True',
  'max_split_size_mb:40,max_non_split_rounding_mb:50,large_segment_size_mb:40',
  'expandable_segments:True,roundup_power2_divisions:4,garbage_collection_threshold:0.5',
  'roundup_power2_divisions:[256:1,512:2,1024:4,>:8]',
  'max_split_size_mb:100,throw_on_cudamalloc_oom:True',
])('%s can be read again', (source) => {
  const settings = parseAllocatorConfig(source);
  const text = settingsText(settings);
  expect(text).not.toBe('');
  const again = parseAllocatorConfig(text);
  expect({ ...again, source: '', warnings: [] }).toEqual({ ...settings, source: '', warnings: [] });
});

test('what is left of earlier settings shows, too', () => {
  const settings = parseAllocatorConfig('max_split_size_mb:40', parseAllocatorConfig('expandable_segments:True'));
  expect(settingsText(settings)).toBe('expandable_segments:True,max_split_size_mb:40');
});
