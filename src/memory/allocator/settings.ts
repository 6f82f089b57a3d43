/**
 * PYTORCH_ALLOC_CONF: the allocator's settings and the grammar of `key:value,key:[a:b,c:d]`, whitespace ignored.
 *
 * As in PyTorch, every parse first puts back to their defaults: max_split_size_mb, max_non_split_rounding_mb,
 * roundup_power2_divisions and garbage_collection_threshold. The other settings stay until named again.
 */
import { ValueError } from '../../core/errors.ts';
import { LARGE_BUFFER, MIN_LARGE_ALLOC } from './constants.ts';

const MIB = 1024 * 1024;
/** Intervals of roundup_power2_divisions: from 1, 2, 4 … 32768 MiB on. */
const INTERVALS = 16;
const MAX_REGISTER_THREADS = 128;

/** Address space of an expandable range: a share of the device's memory, or bytes. */
export interface Reserve {
  readonly fraction: boolean;
  readonly value: number;
}

export interface AllocatorSettings {
  /** The string that was parsed last. */
  readonly source: string;
  readonly backend: string;
  /** Bytes; larger blocks are never split. Infinity: no limit. */
  readonly maxSplitSize: number;
  /** Bytes that a block over the limit may be larger than the request. */
  readonly maxNonSplitRounding: number;
  /** Bytes of a segment shared by requests from 1 to 10 MiB. */
  readonly largeSegmentSize: number;
  /** Divisions of a power of two by interval; 0 and 1: none. */
  readonly roundupPower2Divisions: readonly number[];
  /** Share of what is allowed, from which old cached segments are given back; 0: never. */
  readonly garbageCollectionThreshold: number;
  readonly expandableSegments: boolean;
  /** null: 9/8 of the device's memory. */
  readonly expandableSegmentsReserve: Reserve | null;
  readonly expandableSegmentsReserveByClass: Readonly<Record<string, Reserve>>;
  /** The fraction that a device starts with. */
  readonly perProcessMemoryFraction: number;
  readonly throwOnDeviceMallocOom: boolean;
  readonly releaseLockOnDeviceMalloc: boolean;
  readonly graphCaptureRecordStreamReuse: boolean;
  readonly pinnedUseHostRegister: boolean;
  readonly pinnedNumRegisterThreads: number;
  readonly pinnedUseBackgroundThreads: boolean;
  readonly pinnedReserveSegmentSizeMb: number;
  readonly pinnedFreeCatchAll: boolean;
  readonly pinnedMaxRoundThresholdMb: number;
  readonly pinnedMaxCachedSizeMb: number;
  /** What was ignored, and why: for the caller to warn about. */
  readonly warnings: readonly string[];
}

type Draft = { -readonly [key in keyof AllocatorSettings]: AllocatorSettings[key] };

export const DEFAULT_SETTINGS: AllocatorSettings = {
  source: '',
  backend: 'native',
  maxSplitSize: Infinity,
  maxNonSplitRounding: LARGE_BUFFER,
  largeSegmentSize: LARGE_BUFFER,
  roundupPower2Divisions: new Array<number>(INTERVALS).fill(0),
  garbageCollectionThreshold: 0,
  expandableSegments: false,
  expandableSegmentsReserve: null,
  expandableSegmentsReserveByClass: {},
  perProcessMemoryFraction: 1,
  throwOnDeviceMallocOom: false,
  releaseLockOnDeviceMalloc: false,
  graphCaptureRecordStreamReuse: false,
  pinnedUseHostRegister: false,
  pinnedNumRegisterThreads: 1,
  pinnedUseBackgroundThreads: false,
  pinnedReserveSegmentSizeMb: 0,
  pinnedFreeCatchAll: false,
  pinnedMaxRoundThresholdMb: Infinity,
  pinnedMaxCachedSizeMb: Infinity,
  warnings: [],
};

/** Splits into keys, values and the marks `, : [ ]`. */
function tokenize(source: string): string[] {
  return source.replace(/\s+/g, '').match(/[,:[\]]|[^,:[\]]+/g) ?? [];
}

/** The place in the list of tokens. */
class Tokens {
  at = 0;

  constructor(private readonly list: readonly string[]) {}

  get done(): boolean {
    return this.at >= this.list.length;
  }

  /** The token after the next `ahead`; '' past the end. */
  peek(): string {
    return this.list[this.at] ?? '';
  }

  take(what: string): string {
    if (this.done)
      throw new ValueError(`Expected ${what} at index ${this.at} of the allocator settings but they end there`);
    return this.list[this.at++];
  }

  expect(mark: string): void {
    const token = this.take(`'${mark}'`);
    if (token !== mark) {
      throw new ValueError(`Expected '${mark}' at index ${this.at - 1} of the allocator settings but got '${token}'`);
    }
  }

  bool(): boolean {
    const token = this.take("'True' or 'False'");
    if (token === 'True') return true;
    if (token === 'False') return false;
    throw new ValueError(`Expected 'True' or 'False' at index ${this.at - 1} in ConfigTokenizer but got '${token}'`);
  }

  whole(): number {
    return parseNumber(this.take('a whole number'), /^\d+$/, 'a whole number', this.at - 1);
  }

  number(): number {
    return parseNumber(this.take('a number'), /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i, 'a number', this.at - 1);
  }
}

function parseNumber(token: string, form: RegExp, what: string, at: number): number {
  if (!form.test(token)) {
    throw new ValueError(`Expected ${what} at index ${at} of the allocator settings but got '${token}'`);
  }
  return Number(token);
}

const isPowerOf2 = (n: number): boolean => n > 0 && Number.isInteger(Math.log2(n));

function megabytes(tokens: Tokens, name: string, settings: Draft): number {
  const least = Math.floor(settings.largeSegmentSize / MIB);
  const value = tokens.whole();
  if (value < least) throw new ValueError(`CachingAllocator option ${name} too small, must be >= ${least}`);
  return value * MIB;
}

function divisions(tokens: Tokens): number[] {
  const result = new Array<number>(INTERVALS).fill(0);
  if (tokens.peek() !== '[') {
    const value = tokens.whole();
    if (!isPowerOf2(value)) throw new ValueError('For roundups, the divisions has to be power of 2 ');
    return result.fill(value);
  }
  tokens.expect('[');
  let last = -1;
  while (tokens.peek() !== ']') {
    const boundary = tokens.peek() === '>' ? tokens.take("'>'") : tokens.whole();
    tokens.expect(':');
    const value = tokens.whole();
    if (value !== 0 && !isPowerOf2(value)) {
      throw new ValueError('For roundups, the divisions has to be power of 2 or 0 to disable roundup ');
    }
    if (typeof boundary === 'string') result.fill(value, last + 1);
    else {
      if (!isPowerOf2(boundary)) throw new ValueError('For roundups, the intervals have to be power of 2 ');
      const interval = Math.min(Math.log2(boundary), INTERVALS - 1);
      if (last < 0) result.fill(value, 0, interval);
      result[interval] = value;
      last = interval;
    }
    if (tokens.peek() !== ']') tokens.expect(',');
  }
  tokens.expect(']');
  return result;
}

/** Malformed values are ignored with a warning, as in PyTorch. */
function reserve(token: string, settings: Draft): Reserve | null {
  const bytes = /^(.*)g$/i.exec(token);
  const text = bytes === null ? token : bytes[1];
  const value = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  if (value > 0 && Number.isFinite(value)) {
    return bytes === null ? { fraction: true, value } : { fraction: false, value: value * 1024 * MIB };
  }
  settings.warnings = [
    ...settings.warnings,
    `Ignoring invalid expandable-segment reserve value '${token}' in PYTORCH_ALLOC_CONF ` +
      '(expected a positive, finite fraction like 0.5 or an absolute size like 40G); using default.',
  ];
  return null;
}

type Parser = (tokens: Tokens, settings: Draft) => void;

const PARSERS: Record<string, Parser> = {
  backend: (tokens, settings) => {
    const name = tokens.take('an allocator backend');
    if (name !== 'native' && name !== 'cudaMallocAsync') {
      throw new ValueError('Unknown allocator backend, options are native and cudaMallocAsync');
    }
    settings.backend = name;
  },
  // Read before all others, since others are measured by it.
  large_segment_size_mb: (tokens) => void tokens.whole(),
  max_split_size_mb: (tokens, settings) => {
    settings.maxSplitSize = megabytes(tokens, 'max_split_size_mb', settings);
  },
  max_non_split_rounding_mb: (tokens, settings) => {
    settings.maxNonSplitRounding = megabytes(tokens, 'max_non_split_rounding_mb', settings);
  },
  roundup_power2_divisions: (tokens, settings) => {
    settings.roundupPower2Divisions = divisions(tokens);
  },
  garbage_collection_threshold: (tokens, settings) => {
    const value = tokens.number();
    if (!(value > 0 && value < 1)) {
      throw new ValueError('garbage_collect_threshold is invalid, set it in (0.0, 1.0)');
    }
    settings.garbageCollectionThreshold = value;
  },
  expandable_segments: (tokens, settings) => {
    settings.expandableSegments = tokens.bool();
  },
  expandable_segments_reserve: (tokens, settings) => {
    const value = reserve(tokens.take('a fraction or a size'), settings);
    if (value !== null) settings.expandableSegmentsReserve = value;
  },
  expandable_segments_reserve_by_class: (tokens, settings) => {
    const classes: Record<string, Reserve> = {};
    tokens.expect('[');
    while (tokens.peek() !== ']') {
      const name = tokens.take('a class');
      tokens.expect(':');
      const value = reserve(tokens.take('a fraction or a size'), settings);
      if (value !== null) classes[name] = value;
      if (tokens.peek() !== ']') tokens.expect(',');
    }
    tokens.expect(']');
    settings.expandableSegmentsReserveByClass = classes;
  },
  per_process_memory_fraction: (tokens, settings) => {
    const value = tokens.number();
    if (!(value >= 0 && value <= 1)) {
      throw new ValueError('per_process_memory_fraction is invalid, set it in [0.0, 1.0]');
    }
    settings.perProcessMemoryFraction = value;
  },
  throw_on_cudamalloc_oom: (tokens, settings) => {
    settings.throwOnDeviceMallocOom = tokens.bool();
  },
  release_lock_on_cudamalloc: (tokens, settings) => {
    settings.releaseLockOnDeviceMalloc = tokens.bool();
  },
  graph_capture_record_stream_reuse: (tokens, settings) => {
    settings.graphCaptureRecordStreamReuse = tokens.bool();
  },
  pinned_use_cuda_host_register: (tokens, settings) => {
    settings.pinnedUseHostRegister = tokens.bool();
  },
  pinned_num_register_threads: (tokens, settings) => {
    const value = tokens.whole();
    if (!isPowerOf2(value)) throw new ValueError(`Number of register threads has to be power of 2, got ${value}`);
    if (value > MAX_REGISTER_THREADS) {
      throw new ValueError(
        `Number of register threads should be less than or equal to ${MAX_REGISTER_THREADS}, got ${value}`,
      );
    }
    settings.pinnedNumRegisterThreads = value;
  },
  pinned_use_background_threads: (tokens, settings) => {
    settings.pinnedUseBackgroundThreads = tokens.bool();
  },
  pinned_reserve_segment_size_mb: (tokens, settings) => {
    const value = tokens.whole();
    if (value === 0) throw new ValueError('Pinned reserve segment size has to be greater than 0');
    settings.pinnedReserveSegmentSizeMb = value;
  },
  pinned_free_catch_all: (tokens, settings) => {
    settings.pinnedFreeCatchAll = tokens.bool();
  },
  pinned_max_round_threshold_mb: (tokens, settings) => {
    settings.pinnedMaxRoundThresholdMb = tokens.whole();
  },
  pinned_max_cached_size_mb: (tokens, settings) => {
    settings.pinnedMaxCachedSizeMb = tokens.whole();
  },
};

/** The large segment size that the string names, or the one before. */
function largeSegmentSize(list: readonly string[], before: number): number {
  const at = list.indexOf('large_segment_size_mb');
  if (at < 0) return before;
  const tokens = new Tokens(list);
  tokens.at = at + 1;
  tokens.expect(':');
  const value = tokens.whole() * MIB;
  const least = MIN_LARGE_ALLOC / MIB;
  if (value <= MIN_LARGE_ALLOC) {
    throw new ValueError(`CachingAllocator option large_segment_size_mb must be > ${least} MB`);
  }
  return value;
}

/**
 * Reads settings. Nothing is changed if there is an error anywhere.
 * @param previous the settings so far
 * @throws ValueError with PyTorch's texts
 */
export function parseAllocatorConfig(
  source: string,
  previous: AllocatorSettings = DEFAULT_SETTINGS,
): AllocatorSettings {
  const list = tokenize(source);
  const large = largeSegmentSize(list, previous.largeSegmentSize);
  const settings: Draft = {
    ...previous,
    source,
    largeSegmentSize: large,
    maxSplitSize: Infinity,
    maxNonSplitRounding: large,
    roundupPower2Divisions: DEFAULT_SETTINGS.roundupPower2Divisions,
    garbageCollectionThreshold: 0,
    warnings: [],
  };
  const tokens = new Tokens(list);
  while (!tokens.done) {
    const key = tokens.take('a setting');
    const parse = Object.hasOwn(PARSERS, key) ? PARSERS[key] : undefined;
    if (parse === undefined) throw new ValueError(`Unrecognized key '${key}' in MTIA allocator config.`);
    tokens.expect(':');
    parse(tokens, settings);
    if (!tokens.done) tokens.expect(',');
  }
  if (settings.expandableSegments && settings.maxSplitSize !== Infinity) {
    settings.warnings = [
      ...settings.warnings,
      'expandable_segments ignores max_split_size_mb: blocks of expandable segments are always split.',
    ];
  }
  return settings;
}
