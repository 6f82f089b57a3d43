/**
 * Where things lie in a device's WebAssembly memory. Byte addresses below HEAP are the device's own: a control block,
 * scratch for launch words, and (mtia) the ring. Tensors live from HEAP upwards; address 0 is "nothing".
 *
 * Words that different threads write are a cache line (64 bytes) apart, else every store would stall the other side.
 * Worker threads get these numbers as data (`LAYOUT`), as their program can import nothing.
 */

/** A kernel that returns a fault stores up to four i32 about it here before. */
export const FAULT_DETAILS = 64;
export const FAULT_WORDS = 4;

/** The most argument words of a launch. */
export const MAX_WORDS = 1008;

/** Launch words outside the ring: slot 0 is the leader's (who splits launches), 1.. are its helpers'. */
const SCRATCH = 4096;
const SCRATCH_BYTES = 4096;
/** Threads of one device, the leader included. */
export const MAX_THREADS = 32;

const RING = 256 * 1024;
const RING_BYTES = 512 * 1024;

/** First byte of the heap. */
export const HEAP = RING + RING_BYTES;

/** Positions in the Int32Array over the memory, unless they say bytes. */
export const LAYOUT = {
  /** Ring positions ever written and read, in words, modulo 2^32. */
  head: 128 >> 2,
  tail: 192 >> 2,
  /** 1 while the executor sleeps on `head`. */
  parked: 256 >> 2,
  /** 1 while the host sleeps on `tail`, until it has reached `wanted`. */
  waiting: 320 >> 2,
  wanted: (320 >> 2) + 1,

  /** Set to 1 by the executor when it can take launches. */
  ready: 384 >> 2,
  /** Set to 1 by a thread that ends because of an error, whose text it leaves in `text`. */
  dead: (384 >> 2) + 1,
  /** The first fault since the last synchronisation: code (0: none), its four details, the kernel. */
  fault: (384 >> 2) + 2,
  /** Size of the memory in pages. */
  pages: (384 >> 2) + 9,
  faultDetails: FAULT_DETAILS >> 2,

  /** The pool: chunks of the current launch nobody has claimed yet. Helpers sleep on it. */
  claims: 512 >> 2,
  /** Chunks finished. The leader sleeps on it. */
  done: 576 >> 2,
  /** Number of helpers that sleep. */
  sleepers: 640 >> 2,
  /** 1 while the leader sleeps on `done`. */
  leaderWaits: (640 >> 2) + 1,
  /** Helpers that may take part: those with a slot up to this. */
  helpers: 704 >> 2,
  /** The current launch: kernel, number of words, where they are, begin, end, iterations per chunk, chunks. */
  job: 768 >> 2,
  /** The lowest chunk that met a fault, plus 1; 0: none. */
  faultChunk: (768 >> 2) + 8,

  /** Text of the error that ended a thread: length, then UTF-16 code units, one a word. */
  text: 1024 >> 2,
  textWords: 500,

  scratch: SCRATCH >> 2,
  scratchWords: SCRATCH_BYTES >> 2,
  maxThreads: MAX_THREADS,

  ring: RING >> 2,
  ringWords: RING_BYTES >> 2,

  /** What stands in a record's first word where it isn't a kernel: "go on at the ring's begin", "move bytes". */
  wrap: -1,
  move: -2,
} as const;

/** Words before a record's arguments: kernel, length of the record in words, sequence number, grain. */
export const RECORD_HEADER = 4;

/** The largest copy from the host that travels in the ring. */
export const MAX_PAYLOAD = 64 * 1024;

export const HEAP_WORDS = HEAP >> 2;

if (SCRATCH + MAX_THREADS * SCRATCH_BYTES > RING) throw new Error('the scratch slots reach into the ring');
