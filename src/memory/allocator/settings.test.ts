/** The grammar of PYTORCH_ALLOC_CONF: values, PyTorch's error texts, and what a parse puts back. */
import { describe, expect, test } from 'vitest';
import { DEFAULT_SETTINGS, parseAllocatorConfig } from './index.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

describe('values', () => {
  test('nothing', () => expect(parseAllocatorConfig('')).toEqual(DEFAULT_SETTINGS));

  test('every setting', () => {
    const text =
      'backend:native, large_segment_size_mb:32, max_split_size_mb:64,max_non_split_rounding_mb : 48,' +
      'roundup_power2_divisions:[256:1,512:2,>:4],garbage_collection_threshold:0.25,expandable_segments:True,' +
      'per_process_memory_fraction:0.5,throw_on_cudamalloc_oom:True,release_lock_on_cudamalloc:True,' +
      'graph_capture_record_stream_reuse:True,pinned_use_cuda_host_register:True,pinned_num_register_threads:8,' +
      'pinned_use_background_threads:True,pinned_reserve_segment_size_mb:16,pinned_free_catch_all:True,' +
      'pinned_max_round_threshold_mb:3,pinned_max_cached_size_mb:4,expandable_segments_reserve:40G,' +
      'expandable_segments_reserve_by_class:[capture:0.25,workspace:2g]';
    expect(parseAllocatorConfig(text)).toEqual({
      source: text,
      backend: 'native',
      largeSegmentSize: 32 * MIB,
      maxSplitSize: 64 * MIB,
      maxNonSplitRounding: 48 * MIB,
      roundupPower2Divisions: [...new Array(9).fill(1), 2, ...new Array(6).fill(4)],
      garbageCollectionThreshold: 0.25,
      expandableSegments: true,
      expandableSegmentsReserve: { fraction: false, value: 40 * GIB },
      expandableSegmentsReserveByClass: {
        capture: { fraction: true, value: 0.25 },
        workspace: { fraction: false, value: 2 * GIB },
      },
      perProcessMemoryFraction: 0.5,
      throwOnDeviceMallocOom: true,
      releaseLockOnDeviceMalloc: true,
      graphCaptureRecordStreamReuse: true,
      pinnedUseHostRegister: true,
      pinnedNumRegisterThreads: 8,
      pinnedUseBackgroundThreads: true,
      pinnedReserveSegmentSizeMb: 16,
      pinnedFreeCatchAll: true,
      pinnedMaxRoundThresholdMb: 3,
      pinnedMaxCachedSizeMb: 4,
      warnings: [expect.stringContaining('expandable_segments ignores max_split_size_mb')],
    });
  });

  test('intervals: the first holds for the smaller ones, > for the larger, others stay off', () => {
    const of = (text: string) => parseAllocatorConfig(`roundup_power2_divisions:${text}`).roundupPower2Divisions;
    expect(of('8')).toEqual(new Array(16).fill(8));
    expect(of('[4:2]')).toEqual([2, 2, 2, ...new Array(13).fill(0)]);
    expect(of('[4:2,64:4]')).toEqual([2, 2, 2, 0, 0, 0, 4, ...new Array(9).fill(0)]);
    expect(of('[65536:2]')).toEqual(new Array(16).fill(2));
  });
});

describe('what a parse puts back', () => {
  const before = parseAllocatorConfig(
    'max_split_size_mb:64,max_non_split_rounding_mb:64,roundup_power2_divisions:4,garbage_collection_threshold:0.5,' +
      'expandable_segments:True,per_process_memory_fraction:0.5,pinned_num_register_threads:4,large_segment_size_mb:32',
  );

  test('options of the common kind, but not the others', () => {
    const after = parseAllocatorConfig('pinned_free_catch_all:True', before);
    expect(after).toMatchObject({
      maxSplitSize: Infinity,
      maxNonSplitRounding: 32 * MIB,
      roundupPower2Divisions: DEFAULT_SETTINGS.roundupPower2Divisions,
      garbageCollectionThreshold: 0,
      expandableSegments: true,
      perProcessMemoryFraction: 0.5,
      pinnedNumRegisterThreads: 4,
      largeSegmentSize: 32 * MIB,
      pinnedFreeCatchAll: true,
      warnings: [],
    });
  });

  test('nothing if there is an error', () => {
    const copy = structuredClone(before);
    expect(() => parseAllocatorConfig('expandable_segments:False,nonsense:1', before)).toThrow();
    expect(before).toEqual(copy);
  });
});

describe('errors', () => {
  test.each([
    ['foo:1,bar:2', "Unrecognized key 'foo' in MTIA allocator config."],
    ['constructor:1', "Unrecognized key 'constructor' in MTIA allocator config."],
    ['backend:best', 'Unknown allocator backend, options are native and cudaMallocAsync'],
    ['garbage_collection_threshold:1.2', 'garbage_collect_threshold is invalid, set it in (0.0, 1.0)'],
    ['garbage_collection_threshold:0', 'garbage_collect_threshold is invalid, set it in (0.0, 1.0)'],
    ['max_split_size_mb:2', 'CachingAllocator option max_split_size_mb too small, must be >= 20'],
    [
      'max_split_size_mb:24,large_segment_size_mb:32',
      'CachingAllocator option max_split_size_mb too small, must be >= 32',
    ],
    ['max_non_split_rounding_mb:3', 'CachingAllocator option max_non_split_rounding_mb too small, must be >= 20'],
    ['large_segment_size_mb:10', 'CachingAllocator option large_segment_size_mb must be > 10 MB'],
    ['roundup_power2_divisions:3', 'For roundups, the divisions has to be power of 2 '],
    ['roundup_power2_divisions:0', 'For roundups, the divisions has to be power of 2 '],
    ['roundup_power2_divisions:[4:3]', 'For roundups, the divisions has to be power of 2 or 0 to disable roundup '],
    ['roundup_power2_divisions:[3:2]', 'For roundups, the intervals have to be power of 2 '],
    ['expandable_segments:true', "Expected 'True' or 'False' at index 2 in ConfigTokenizer but got 'true'"],
    ['pinned_use_background_threads:1', "Expected 'True' or 'False' at index 2 in ConfigTokenizer but got '1'"],
    ['per_process_memory_fraction:1.1', 'per_process_memory_fraction is invalid, set it in [0.0, 1.0]'],
    ['pinned_num_register_threads:3', 'Number of register threads has to be power of 2, got 3'],
    ['pinned_num_register_threads:256', 'Number of register threads should be less than or equal to 128, got 256'],
    ['pinned_reserve_segment_size_mb:0', 'Pinned reserve segment size has to be greater than 0'],
  ])("%s: PyTorch's text", (source, message) => {
    expect(() => parseAllocatorConfig(source)).toThrow(expect.objectContaining({ name: 'ValueError', message }));
  });

  test.each([
    ['expandable_segments', "Expected ':' at index 1 of the allocator settings but they end there"],
    ['expandable_segments:', "Expected 'True' or 'False' at index 2 of the allocator settings but they end there"],
    ['max_split_size_mb:abc', "Expected a whole number at index 2 of the allocator settings but got 'abc'"],
    ['max_split_size_mb:-5', "Expected a whole number at index 2 of the allocator settings but got '-5'"],
    ['max_split_size_mb:20.7', "Expected a whole number at index 2 of the allocator settings but got '20.7'"],
    ['garbage_collection_threshold:0.5x', "Expected a number at index 2 of the allocator settings but got '0.5x'"],
    ['roundup_power2_divisions:[4:2', "Expected ',' at index 6 of the allocator settings but they end there"],
    ['max_split_size_mb=30', "Unrecognized key 'max_split_size_mb=30' in MTIA allocator config."],
    [',', "Unrecognized key ',' in MTIA allocator config."],
    ['expandable_segments:True;max_split_size_mb:30', /^Expected 'True' or 'False' at index 2/],
  ])('%s: where PyTorch fails an internal assertion, or takes it', (source, message) => {
    expect(() => parseAllocatorConfig(source)).toThrow(message);
  });

  test('malformed reserves are ignored with a warning', () => {
    for (const value of ['0', '-1', 'x', 'G', 'inf', '1e400']) {
      const settings = parseAllocatorConfig(`expandable_segments_reserve:${value}`);
      expect(settings.expandableSegmentsReserve).toBe(null);
      expect(settings.warnings).toEqual([
        expect.stringContaining(`Ignoring invalid expandable-segment reserve value '${value}'`),
      ]);
    }
  });
});
