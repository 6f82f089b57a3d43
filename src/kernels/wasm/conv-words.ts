/**
 * The launch words of the convolution kernels. A convolution is a matrix product whose second factor is never stored:
 * its row k (a channel and a tap of the window) at column p (a position) is the input's element at kTable[k] plus the
 * position's own offset. The input is padded before, so every such sum is a place in memory. All strides are in bytes.
 */
import { type Func, i32, type Local } from './emitter.ts';

/** Positions are counted over three dimensions, the last one fastest. */
const AXES = 3;

/**
 * out[n, g, m, p] = bias[g, m] + sum over k of a[g, m, k] * x[n, g, k, p]. The range counts images, groups, blocks of
 * rows, blocks of positions, the last one fastest.
 */
export const CONV = {
  begin: 0,
  end: 1,
  out: 2,
  outImage: 3,
  outGroup: 4,
  outRow: 5,
  /** Strides of a position in `out`, by axis. */
  outStep: 6,
  /** 1: positions lie side by side in `out`. */
  flat: 9,
  x: 10,
  xImage: 11,
  xGroup: 12,
  xStep: 13,
  /** Packed weights: strips of rows, k outermost in each. */
  a: 16,
  aGroup: 17,
  aStrip: 18,
  kTable: 19,
  /** 0: none. Elements of the compute type, one a row. */
  bias: 20,
  M: 21,
  K: 22,
  /** Positions in all; sizes of the last two axes. */
  P: 23,
  height: 24,
  width: 25,
  groups: 26,
  mStep: 27,
  mBlocks: 28,
  pStep: 29,
  pBlocks: 30,
  /** Scratch, CONV_SCRATCH bytes for each thread. */
  scratch: 31,
  count: 32,
} as const;

/**
 * out[s, g, m, k] = sum over the slot's pieces of positions p of grad[n, g, m, p] * x[n, g, k, p]. The range counts slots,
 * groups, blocks of k. A piece is up to POSITIONS positions of one image.
 */
export const CONV_WEIGHT = {
  begin: 0,
  end: 1,
  out: 2,
  outSlot: 3,
  outGroup: 4,
  outRow: 5,
  grad: 6,
  gradImage: 7,
  gradGroup: 8,
  gradRow: 9,
  x: 10,
  xImage: 11,
  xGroup: 12,
  xStep: 13,
  kTable: 16,
  M: 17,
  K: 18,
  P: 19,
  height: 20,
  width: 21,
  groups: 22,
  kStep: 23,
  kBlocks: 24,
  /** Pieces of an image, pieces in all, pieces of a slot. */
  pieces: 25,
  total: 26,
  perSlot: 27,
  scratch: 28,
  count: 29,
} as const;

/** Most k in one go, and positions of a piece of the weight's gradient: a packed panel is 8 KiB. */
export const K_STEP = 256;
export const POSITIONS = 256;
/** Bytes of scratch for each thread: a panel, and offsets. */
export const CONV_SCRATCH = 8192 + 1024 + 128;
/** In the scratch: what comes after the panel. */
export const SCRATCH_TABLE = 8192;
export const SCRATCH_TILE = 8192 + 1024;

/** A copy into a padded array of the compute type. The range counts its rows (along the last axis). */
export const PAD = {
  begin: 0,
  end: 1,
  to: 2,
  from: 3,
  /** Sizes of the padded array: channels, then by axis; and of the source by axis. */
  channels: 4,
  size: 5,
  source: 8,
  /** Elements before the first, by axis. */
  low: 11,
  /** Strides of the source: image, channel, axes. */
  image: 14,
  channel: 15,
  axis: 16,
  count: 19,
} as const;

/** Weights into strips of four rows, k outermost. The range counts strips, the first group's first. */
export const PACK_WEIGHT = {
  begin: 0,
  end: 1,
  to: 2,
  from: 3,
  /** Strips of a group; rows, channels and taps (by axis) of a group. */
  strips: 4,
  M: 5,
  channels: 6,
  taps: 7,
  /** Strides of the source: group, row, channel, taps by axis. */
  group: 10,
  row: 11,
  channel: 12,
  tap: 13,
  count: 16,
} as const;

/** Offsets of every k: channel, then taps by axis. */
export const K_TABLE = { begin: 0, end: 1, to: 2, channels: 3, taps: 4, channel: 7, tap: 8, count: 11 } as const;

/** A reader of words by name. */
export function wordReader<N extends string>(f: Func, args: Local<'i32'>, words: Record<N, number>) {
  return (name: N, plus = 0): Local<'i32'> => f.let(i32.load(args, (words[name] + plus) * 4));
}

export { AXES };

/** Weights for `conv-winograd.ts`. The range counts strips of four rows. Strides in bytes. */
export const WINOGRAD_WEIGHT = {
  begin: 0,
  end: 1,
  to: 2,
  from: 3,
  strips: 4,
  M: 5,
  channels: 6,
  row: 7,
  channel: 8,
  /** From one tap to the next. */
  down: 9,
  across: 10,
  count: 11,
} as const;

/** `conv-winograd.ts`. The range counts blocks of panels, and in each blocks of rows. Strides in bytes. */
export const WINOGRAD = {
  begin: 0,
  end: 1,
  out: 2,
  outImage: 3,
  /** From one output channel to the next, and from one line of an image to the next. */
  outRow: 4,
  outLine: 5,
  outHeight: 6,
  outWidth: 7,
  /** The input with zeros around it, lines contiguous. */
  x: 8,
  xImage: 9,
  xChannel: 10,
  xLine: 11,
  a: 12,
  bias: 13,
  M: 14,
  channels: 15,
  /** Vectors of four tiles in all; down and across an image. */
  vectors: 16,
  vectorsDown: 17,
  vectorsAcross: 18,
  /** Panels of a block. */
  panels: 19,
  mStep: 20,
  mBlocks: 21,
  scratch: 22,
  scratchBytes: 23,
  /** 1: the tiles of a vector lie two by two; 0: side by side. */
  square: 24,
  count: 25,
} as const;

/**
 * `conv-winograd-grad.ts`. The range counts parts of the tiles, in each blocks of rows, in each blocks of channels. Strides
 * in bytes. Both images have zeros around them, so that every vector of tiles is whole; lines are contiguous.
 */
export const WINOGRAD_GRAD = {
  begin: 0,
  end: 1,
  /** Sums of a part: [place, M in fours, channels in eights]. */
  out: 2,
  outPart: 3,
  outPlace: 4,
  outRow: 5,
  grad: 6,
  gradImage: 7,
  gradChannel: 8,
  gradLine: 9,
  x: 10,
  xImage: 11,
  xChannel: 12,
  xLine: 13,
  M: 14,
  channels: 15,
  /** Vectors of four tiles in all, and in a part; down and across an image. */
  vectors: 16,
  perPart: 17,
  vectorsDown: 18,
  vectorsAcross: 19,
  mBlocks: 20,
  cBlocks: 21,
  scratch: 22,
  scratchBytes: 23,
  /** 1: the tiles of a vector lie two by two; 0: side by side. */
  square: 24,
  count: 25,
} as const;

/** Sums of all parts to the weight's gradient, contiguous. The range counts rows. Strides in bytes. */
export const WINOGRAD_GRAD_SUM = {
  begin: 0,
  end: 1,
  to: 2,
  from: 3,
  parts: 4,
  part: 5,
  place: 6,
  row: 7,
  channels: 8,
  count: 9,
} as const;
