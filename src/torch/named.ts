// Made by `npm run generate` from the op declarations in src/ops. Do not edit.

import '../ops/all.ts';
import { functions, linalg as linalgFunctions } from './attach.ts';
import type { LinalgFunctions, TorchFunctions } from './generated.ts';

export * from './named-core.ts';

const fns = functions as unknown as TorchFunctions;
/** `torch.linalg`: linear algebra and norms. */
export const linalg = linalgFunctions as unknown as LinalgFunctions;
/** True where both are; anything but 0 is true. */
export const logical_and: TorchFunctions['logical_and'] = fns.logical_and;
/** True where either is; anything but 0 is true. */
export const logical_or: TorchFunctions['logical_or'] = fns.logical_or;
/** True where exactly one is; anything but 0 is true. */
export const logical_xor: TorchFunctions['logical_xor'] = fns.logical_xor;
/** Bits that both have; of bools, and, elementwise; integers only. */
export const bitwise_and: TorchFunctions['bitwise_and'] = fns.bitwise_and;
/** Bits that either has; of bools, or, elementwise; integers only. */
export const bitwise_or: TorchFunctions['bitwise_or'] = fns.bitwise_or;
/** Bits that exactly one has; of bools, exclusive or, elementwise; integers only. */
export const bitwise_xor: TorchFunctions['bitwise_xor'] = fns.bitwise_xor;
/** self * 2^other, elementwise; integers only. */
export const bitwise_left_shift: TorchFunctions['bitwise_left_shift'] = fns.bitwise_left_shift;
/** self / 2^other, rounded down, elementwise; integers only. */
export const bitwise_right_shift: TorchFunctions['bitwise_right_shift'] = fns.bitwise_right_shift;
/** Every bit the other way; of bools, logical_not. Integers only. */
export const bitwise_not: TorchFunctions['bitwise_not'] = fns.bitwise_not;
/** Remainder of self / other with the sign of self, elementwise. */
export const fmod: TorchFunctions['fmod'] = fns.fmod;
/** Remainder of self / other with the sign of other, elementwise. */
export const remainder: TorchFunctions['remainder'] = fns.remainder;
/** self / other, rounded down, elementwise; integers stay integers. Backward is not implemented; `div` with rounding_mode "floor" has it. */
export const floor_divide: TorchFunctions['floor_divide'] = fns.floor_divide;
/** The angle of the point (other, self) in radians, elementwise. */
export const atan2: TorchFunctions['atan2'] = fns.atan2;
/** The magnitude of self with the sign of other, elementwise. */
export const copysign: TorchFunctions['copysign'] = fns.copysign;
/** The square root of self² + other², elementwise, without overflow on the way. */
export const hypot: TorchFunctions['hypot'] = fns.hypot;
/** log(exp(self) + exp(other)), elementwise. */
export const logaddexp: TorchFunctions['logaddexp'] = fns.logaddexp;
/** log2(2^self + 2^other), elementwise. */
export const logaddexp2: TorchFunctions['logaddexp2'] = fns.logaddexp2;
/** self * log(other), and 0 where self is 0, elementwise. */
export const xlogy: TorchFunctions['xlogy'] = fns.xlogy;
/** In-place form of `xlogy`. */
export const xlogy_: TorchFunctions['xlogy_'] = fns.xlogy_;
/** self + value * tensor1 * tensor2, elementwise. */
export const addcmul: TorchFunctions['addcmul'] = fns.addcmul;
/** self + value * tensor1 / tensor2, elementwise. */
export const addcdiv: TorchFunctions['addcdiv'] = fns.addcdiv;
/** self + weight * (end - self), elementwise. */
export const lerp: TorchFunctions['lerp'] = fns.lerp;
/** Elements below min become min. NaN stays. */
export const clamp_min: TorchFunctions['clamp_min'] = fns.clamp_min;
/** In-place form of `clamp_min`. */
export const clamp_min_: TorchFunctions['clamp_min_'] = fns.clamp_min_;
/** Elements above max become max. NaN stays. */
export const clamp_max: TorchFunctions['clamp_max'] = fns.clamp_max;
/** In-place form of `clamp_max`. */
export const clamp_max_: TorchFunctions['clamp_max_'] = fns.clamp_max_;
/** Degrees as radians, elementwise. */
export const deg2rad: TorchFunctions['deg2rad'] = fns.deg2rad;
/** In-place form of `deg2rad`. */
export const deg2rad_: TorchFunctions['deg2rad_'] = fns.deg2rad_;
/** Radians as degrees, elementwise. */
export const rad2deg: TorchFunctions['rad2deg'] = fns.rad2deg;
/** In-place form of `rad2deg`. */
export const rad2deg_: TorchFunctions['rad2deg_'] = fns.rad2deg_;
/** log(x / (1 - x)), elementwise; with eps, x is kept between eps and 1 - eps. */
export const logit: TorchFunctions['logit'] = fns.logit;
/** In-place form of `logit`. */
export const logit_: TorchFunctions['logit_'] = fns.logit_;
/** sin(πx) / (πx), and 1 at 0, elementwise. */
export const sinc: TorchFunctions['sinc'] = fns.sinc;
/** In-place form of `sinc`. */
export const sinc_: TorchFunctions['sinc_'] = fns.sinc_;
/** The larger of both, elementwise; a NaN loses. */
export const fmax: TorchFunctions['fmax'] = fns.fmax;
/** The smaller of both, elementwise; a NaN loses. */
export const fmin: TorchFunctions['fmin'] = fns.fmin;
/** self * 2^other, elementwise. */
export const ldexp: TorchFunctions['ldexp'] = fns.ldexp;
/** 1 above 0, values at 0, 0 elsewhere, elementwise. Both are of one dtype; backward is not implemented. */
export const heaviside: TorchFunctions['heaviside'] = fns.heaviside;
/** True where x is infinity. */
export const isposinf: TorchFunctions['isposinf'] = fns.isposinf;
/** True where x is minus infinity. */
export const isneginf: TorchFunctions['isneginf'] = fns.isneginf;
/** True where x has a sign: negative numbers, -0 and NaN with one. */
export const signbit: TorchFunctions['signbit'] = fns.signbit;
/** True everywhere: there are no complex numbers here. */
export const isreal: TorchFunctions['isreal'] = fns.isreal;
/** x itself, which may not be bool. */
export const positive: TorchFunctions['positive'] = fns.positive;
/** self to the power of exponent in float64, elementwise; either may be a number. */
export const float_power: TorchFunctions['float_power'] = fns.float_power;
/** Another name of `abs`. */
export const absolute: TorchFunctions['absolute'] = fns.absolute;
/** Another name of `acos`. */
export const arccos: TorchFunctions['arccos'] = fns.arccos;
/** Another name of `acos_`. */
export const arccos_: TorchFunctions['arccos_'] = fns.arccos_;
/** Another name of `acosh`. */
export const arccosh: TorchFunctions['arccosh'] = fns.arccosh;
/** Another name of `acosh_`. */
export const arccosh_: TorchFunctions['arccosh_'] = fns.arccosh_;
/** Another name of `asin`. */
export const arcsin: TorchFunctions['arcsin'] = fns.arcsin;
/** Another name of `asin_`. */
export const arcsin_: TorchFunctions['arcsin_'] = fns.arcsin_;
/** Another name of `asinh`. */
export const arcsinh: TorchFunctions['arcsinh'] = fns.arcsinh;
/** Another name of `asinh_`. */
export const arcsinh_: TorchFunctions['arcsinh_'] = fns.arcsinh_;
/** Another name of `atan`. */
export const arctan: TorchFunctions['arctan'] = fns.arctan;
/** Another name of `atan_`. */
export const arctan_: TorchFunctions['arctan_'] = fns.arctan_;
/** Another name of `atan2`. */
export const arctan2: TorchFunctions['arctan2'] = fns.arctan2;
/** Another name of `atanh`. */
export const arctanh: TorchFunctions['arctanh'] = fns.arctanh;
/** Another name of `atanh_`. */
export const arctanh_: TorchFunctions['arctanh_'] = fns.arctanh_;
/** Another name of `clamp`. */
export const clip: TorchFunctions['clip'] = fns.clip;
/** Another name of `clamp_`. */
export const clip_: TorchFunctions['clip_'] = fns.clip_;
/** Another name of `div`. */
export const divide: TorchFunctions['divide'] = fns.divide;
/** Another name of `trunc`. */
export const fix: TorchFunctions['fix'] = fns.fix;
/** Another name of `trunc_`. */
export const fix_: TorchFunctions['fix_'] = fns.fix_;
/** Another name of `gt`. */
export const greater: TorchFunctions['greater'] = fns.greater;
/** Another name of `ge`. */
export const greater_equal: TorchFunctions['greater_equal'] = fns.greater_equal;
/** Another name of `lt`. */
export const less: TorchFunctions['less'] = fns.less;
/** Another name of `le`. */
export const less_equal: TorchFunctions['less_equal'] = fns.less_equal;
/** Another name of `mul`. */
export const multiply: TorchFunctions['multiply'] = fns.multiply;
/** Another name of `neg`. */
export const negative: TorchFunctions['negative'] = fns.negative;
/** Another name of `neg_`. */
export const negative_: TorchFunctions['negative_'] = fns.negative_;
/** Another name of `ne`. */
export const not_equal: TorchFunctions['not_equal'] = fns.not_equal;
/** Another name of `sub`. */
export const subtract: TorchFunctions['subtract'] = fns.subtract;
/** Another name of `div`. */
export const true_divide: TorchFunctions['true_divide'] = fns.true_divide;
/** The largest element so far along dim, and its position: of equal ones the last. NaN is the largest. */
export const cummax: TorchFunctions['cummax'] = fns.cummax;
/** The smallest element so far along dim, and its position: of equal ones the last. NaN is the smallest. */
export const cummin: TorchFunctions['cummin'] = fns.cummin;
/** The logarithm of the running sum of exponentials along dim. */
export const logcumsumexp: TorchFunctions['logcumsumexp'] = fns.logcumsumexp;
/** A copy of self in which the elements of src are combined (sum, prod, mean, amax, amin) at the positions in index. */
export const scatter_reduce: TorchFunctions['scatter_reduce'] = fns.scatter_reduce;
/** As `scatter_`, on a copy. */
export const scatter: TorchFunctions['scatter'] = fns.scatter;
/** Turned by k times 90 degrees in the plane of two dimensions, from the first towards the second. */
export const rot90: TorchFunctions['rot90'] = fns.rot90;
/** Every element (along dim; without it, of the flattened tensor) repeated so many times in a row. */
export const repeat_interleave: TorchFunctions['repeat_interleave'] = fns.repeat_interleave;
/** The elements where mask (broadcast with self) is true, as a vector. Waits for the device. */
export const masked_select: TorchFunctions['masked_select'] = fns.masked_select;
/** A copy of self with the elements of source, in order, where mask is true. */
export const masked_scatter: TorchFunctions['masked_scatter'] = fns.masked_scatter;
/** Dimensions `source` moved to the places `destination`; the others keep their order. */
export const movedim: TorchFunctions['movedim'] = fns.movedim;
/** Dimensions `source` moved to the places `destination`; the others keep their order. */
export const moveaxis: TorchFunctions['moveaxis'] = fns.moveaxis;
/** The diagonal of dimensions dim1 and dim2 as a last dimension; offset > 0 lies above the main one. */
export const diagonal: TorchFunctions['diagonal'] = fns.diagonal;
/** Pieces of dimension dim: so many of about equal size, or cut at the given places. */
export const tensor_split: TorchFunctions['tensor_split'] = fns.tensor_split;
/** Pieces of dimension 1 (of a vector 0), of equal size or cut at the given places. */
export const hsplit: TorchFunctions['hsplit'] = fns.hsplit;
/** Pieces of dimension 0, of equal size or cut at the given places. */
export const vsplit: TorchFunctions['vsplit'] = fns.vsplit;
/** Pieces of dimension 2, of equal size or cut at the given places. */
export const dsplit: TorchFunctions['dsplit'] = fns.dsplit;
/** A view with at least 1 dimension, of one tensor or of several. */
export const atleast_1d: TorchFunctions['atleast_1d'] = fns.atleast_1d;
/** A view with at least 2 dimensions, of one tensor or of several. */
export const atleast_2d: TorchFunctions['atleast_2d'] = fns.atleast_2d;
/** A view with at least 3 dimensions, of one tensor or of several. */
export const atleast_3d: TorchFunctions['atleast_3d'] = fns.atleast_3d;
/** Matrices (the last two dimensions) with zeros above the given diagonal (0 is the main one). */
export const tril: TorchFunctions['tril'] = fns.tril;
/** Matrices (the last two dimensions) with zeros below the given diagonal (0 is the main one). */
export const triu: TorchFunctions['triu'] = fns.triu;
/** Rows and columns of the places in the lower triangle of a row x col matrix, [2, count]. */
export const tril_indices: TorchFunctions['tril_indices'] = fns.tril_indices;
/** Rows and columns of the places in the upper triangle of a row x col matrix, [2, count]. */
export const triu_indices: TorchFunctions['triu_indices'] = fns.triu_indices;
/** Matrices of zeros (dimensions dim1 and dim2) with the last dimension of self on a diagonal. */
export const diag_embed: TorchFunctions['diag_embed'] = fns.diag_embed;
/** The diagonal of a matrix as a new vector, or a matrix with a vector on its diagonal. */
export const diag: TorchFunctions['diag'] = fns.diag;
/** A matrix with the flattened input on a diagonal. */
export const diagflat: TorchFunctions['diagflat'] = fns.diagflat;
/** Tensors side by side: along dimension 1, vectors along 0. */
export const hstack: TorchFunctions['hstack'] = fns.hstack;
/** Tensors one below the other, vectors as rows. */
export const vstack: TorchFunctions['vstack'] = fns.vstack;
/** Tensors one below the other, vectors as rows. */
export const row_stack: TorchFunctions['row_stack'] = fns.row_stack;
/** Tensors one behind the other, along dimension 2. */
export const dstack: TorchFunctions['dstack'] = fns.dstack;
/** Tensors side by side, vectors as columns. */
export const column_stack: TorchFunctions['column_stack'] = fns.column_stack;
/** For every vector a grid of its values over the sizes of all; indexing "ij" or "xy" (first two exchanged). */
export const meshgrid: TorchFunctions['meshgrid'] = fns.meshgrid;
/** Every combination of one element of each vector, one row each; of one vector itself. */
export const cartesian_prod: TorchFunctions['cartesian_prod'] = fns.cartesian_prod;
/** Every choice of r elements of a vector, in order; with_replacement: also the same one again. */
export const combinations: TorchFunctions['combinations'] = fns.combinations;
/** The elements at index's positions in the flattened tensor, in index's shape; negative ones count from the end. */
export const take: TorchFunctions['take'] = fns.take;
/** As `gather`, but both are broadcast, but for dim; without dim picks from the flattened tensor. */
export const take_along_dim: TorchFunctions['take_along_dim'] = fns.take_along_dim;
/** As `put_`, on a copy. */
export const put: TorchFunctions['put'] = fns.put;
/** As `index_copy_`, on a copy. */
export const index_copy: TorchFunctions['index_copy'] = fns.index_copy;
/** As `index_fill_`, on a copy. */
export const index_fill: TorchFunctions['index_fill'] = fns.index_fill;
/** Sorted along dim, with the positions of the elements. Equal elements keep their order; NaN is the largest. */
export const sort: TorchFunctions['sort'] = fns.sort;
/** Positions of the elements in sorted order along dim. */
export const argsort: TorchFunctions['argsort'] = fns.argsort;
/** Sorted along the first dimension. */
export const msort: TorchFunctions['msort'] = fns.msort;
/** The k largest (or smallest) elements along dim, with their positions; sorted, whatever `sorted` says. */
export const topk: TorchFunctions['topk'] = fns.topk;
/** The k-th smallest element along dim, counted from 1, and its position. */
export const kthvalue: TorchFunctions['kthvalue'] = fns.kthvalue;
/** The lower median of all elements, or along dim with its position; NaN if there is one. */
export const median: TorchFunctions['median'] = fns.median;
/** The lower median of all elements that are not NaN, or along dim with its position. */
export const nanmedian: TorchFunctions['nanmedian'] = fns.nanmedian;
/** The most frequent element along dim (of several the smallest), and the last of its positions. */
export const mode: TorchFunctions['mode'] = fns.mode;
/** The distinct elements, or slices along dim, sorted; with return_inverse and return_counts a list: values, the place of every element among them, how often each is there. Waits for the device. */
export const unique: TorchFunctions['unique'] = fns.unique;
/** One of every run of equal elements, or slices along dim; with return_inverse and return_counts a list, as `unique` gives. Waits for the device. */
export const unique_consecutive: TorchFunctions['unique_consecutive'] = fns.unique_consecutive;
/** For every value its place in the sorted sequence (the last dimension): before equal elements, or with right behind them. */
export const searchsorted: TorchFunctions['searchsorted'] = fns.searchsorted;
/** For every value the number of its bucket between the sorted boundaries, a vector: as `searchsorted`, the other way round. */
export const bucketize: TorchFunctions['bucketize'] = fns.bucketize;
/** How often every whole number from 0 up is there, or the sum of its weights. Waits for the device. */
export const bincount: TorchFunctions['bincount'] = fns.bincount;
/** How many elements fall in each of `bins` equal parts of [min, max]; min = max = 0 takes the range of the elements. */
export const histc: TorchFunctions['histc'] = fns.histc;
/** Whether each element is among test_elements (with invert: is not). */
export const isin: TorchFunctions['isin'] = fns.isin;
/** The q-quantiles, q between 0 and 1, of all elements or along dim, between neighbours as interpolation says. NaN if there is one. */
export const quantile: TorchFunctions['quantile'] = fns.quantile;
/** The q-quantiles as by `quantile`, of the elements that are not NaN. */
export const nanquantile: TorchFunctions['nanquantile'] = fns.nanquantile;
/** Differences of neighbours along dim, n times over: of length n less. Between bools, whether they differ. prepend and append are put to the ends first. */
export const diff: TorchFunctions['diff'] = fns.diff;
/** 1 with the probability that self has for the element (or with probability p), else 0. */
export const bernoulli: TorchFunctions['bernoulli'] = fns.bernoulli;
/** Positions drawn with the probabilities that the weights (a vector, or rows) give them, num_samples per row. Waits for the device. */
export const multinomial: TorchFunctions['multinomial'] = fns.multinomial;
/** Normal numbers of given means and standard deviations: tensors, or numbers with a size. */
export const normal: TorchFunctions['normal'] = fns.normal;
/** Whole numbers from low (0) up to, not including, high, in self's shape and dtype. */
export const randint_like: TorchFunctions['randint_like'] = fns.randint_like;
/** How many elements are not zero, over everything or along dim. */
export const count_nonzero: TorchFunctions['count_nonzero'] = fns.count_nonzero;
/** Sum over all elements, or over the dimensions dim, with NaN as 0. */
export const nansum: TorchFunctions['nansum'] = fns.nansum;
/** Mean over all elements that are not NaN, or over the dimensions dim. */
export const nanmean: TorchFunctions['nanmean'] = fns.nanmean;
/** Standard deviation and mean over all elements or the dimensions dim, as a pair. */
export const std_mean: TorchFunctions['std_mean'] = fns.std_mean;
/** Variance and mean over all elements or the dimensions dim, as a pair. */
export const var_mean: TorchFunctions['var_mean'] = fns.var_mean;
/** The smallest and the largest elements, over everything or along dim. */
export const aminmax: TorchFunctions['aminmax'] = fns.aminmax;
/** Sums of products over dimensions of both: over the last `dims` of a and first of b, or over two lists of them. */
export const tensordot: TorchFunctions['tensordot'] = fns.tensordot;
/** Sums of products in Einstein's notation: einsum('bij,bjk->bik', a, b), or einsum(a, [0, 1, 2], b, [0, 2, 3], [0, 1, 3]). */
export const einsum: TorchFunctions['einsum'] = fns.einsum;
/** Dot product of two vectors. */
export const vdot: TorchFunctions['vdot'] = fns.vdot;
/** Every product of an element of self with one of vec2: [n, m]. */
export const outer: TorchFunctions['outer'] = fns.outer;
/** Every product of an element of self with one of vec2: [n, m]. */
export const ger: TorchFunctions['ger'] = fns.ger;
/** Sums of products over the last dimension of both. */
export const inner: TorchFunctions['inner'] = fns.inner;
/** Kronecker product: a block self[i, j] * other for every element of self. */
export const kron: TorchFunctions['kron'] = fns.kron;
/** Vector products along dim (by default the first of size 3). */
export const cross: TorchFunctions['cross'] = fns.cross;
/** The sum of the diagonal of a matrix. */
export const trace: TorchFunctions['trace'] = fns.trace;
/** The p-norm over all elements or the dimensions dim; 'fro' is the 2-norm. torch.linalg.vector_norm and matrix_norm are newer names. */
export const norm: TorchFunctions['norm'] = fns.norm;
/** The p-norm of self - other. */
export const dist: TorchFunctions['dist'] = fns.dist;
/** beta * self + alpha * (mat @ vec); self broadcasts to the product. */
export const addmv: TorchFunctions['addmv'] = fns.addmv;
/** beta * self + alpha * outer(vec1, vec2); self broadcasts to the product. */
export const addr: TorchFunctions['addr'] = fns.addr;
/** beta * self + alpha * (batch1 @ batch2), batches of matrices; self broadcasts to the products. */
export const baddbmm: TorchFunctions['baddbmm'] = fns.baddbmm;
/** beta * self + alpha * the sum of batch1 @ batch2 over the batches; self broadcasts to it. */
export const addbmm: TorchFunctions['addbmm'] = fns.addbmm;
/** The product of matrices in the cheapest order; torch.linalg.multi_dot is the newer name. */
export const chain_matmul: TorchFunctions['chain_matmul'] = fns.chain_matmul;
/** x where it is positive, else weight * x, with one weight or one for each channel (dimension 1). */
export const prelu: TorchFunctions['prelu'] = fns.prelu;
/** x where it is positive, else x times a slope: drawn from [lower, upper) for each element during training, their mean otherwise. */
export const rrelu: TorchFunctions['rrelu'] = fns.rrelu;
/** x where it is positive, else x times a slope: drawn from [lower, upper) for each element during training, their mean otherwise. */
export const rrelu_: TorchFunctions['rrelu_'] = fns.rrelu_;
/** Long short-term memory over a sequence [L, N, input] or packed rows: output, last hidden states, last cell states. */
export const lstm: TorchFunctions['lstm'] = fns.lstm;
/** Gated recurrent units over a sequence [L, N, input] or packed rows: output, last hidden states. */
export const gru: TorchFunctions['gru'] = fns.gru;
/** A recurrent network with tanh over a sequence [L, N, input] or packed rows: output, last hidden states. */
export const rnn_tanh: TorchFunctions['rnn_tanh'] = fns.rnn_tanh;
/** A recurrent network with relu over a sequence [L, N, input] or packed rows: output, last hidden states. */
export const rnn_relu: TorchFunctions['rnn_relu'] = fns.rnn_relu;
/** One step of an lstm: the next hidden state and cell state. */
export const lstm_cell: TorchFunctions['lstm_cell'] = fns.lstm_cell;
/** One step of gated recurrent units: the next hidden state. */
export const gru_cell: TorchFunctions['gru_cell'] = fns.gru_cell;
/** One step of a recurrent network with tanh: the next hidden state. */
export const rnn_tanh_cell: TorchFunctions['rnn_tanh_cell'] = fns.rnn_tanh_cell;
/** One step of a recurrent network with relu: the next hidden state. */
export const rnn_relu_cell: TorchFunctions['rnn_relu_cell'] = fns.rnn_relu_cell;
/** The p-norm of x1 - x2 + eps along the last dimension. */
export const pairwise_distance: TorchFunctions['pairwise_distance'] = fns.pairwise_distance;
/** The cosine of the angle between x1 and x2 along dimension dim; lengths count as at least eps. */
export const cosine_similarity: TorchFunctions['cosine_similarity'] = fns.cosine_similarity;
/** p-norms of all differences of a row of x1, [..., P, M], with a row of x2, [..., R, M]: [..., P, R]. Never by products of matrices, whatever compute_mode says. */
export const cdist: TorchFunctions['cdist'] = fns.cdist;
/** p-norms of the differences of every two rows of a matrix [N, M]: a vector of N * (N - 1) / 2, in the order of the upper triangle. */
export const pdist: TorchFunctions['pdist'] = fns.pdist;
/** x1 @ weight[o] @ x2 + bias[o] for every output o: [..., in1] and [..., in2] become [..., out]; weight [out, in1, in2]. */
export const bilinear: TorchFunctions['bilinear'] = fns.bilinear;
/** A constant around the last dimensions: widths before and after, the last dimension first; negative ones cut. */
export const constant_pad_nd: TorchFunctions['constant_pad_nd'] = fns.constant_pad_nd;
/** A convolution over one to three axes, or its transpose, with a number for each axis. */
export const convolution: TorchFunctions['convolution'] = fns.convolution;
/** Convolution of input [N, C, L] with weight [O, C / groups, k]: [N, O, …]. padding is a number for each axis, 'valid' or 'same'. */
export const conv1d: TorchFunctions['conv1d'] = fns.conv1d;
/** Transposed convolution of input [N, C, L] with weight [C, O / groups, k]: the gradient of the convolution, [N, O, …]. */
export const conv_transpose1d: TorchFunctions['conv_transpose1d'] = fns.conv_transpose1d;
/** Convolution of input [N, C, H, W] with weight [O, C / groups, kH, kW]: [N, O, …]. padding is a number for each axis, 'valid' or 'same'. */
export const conv2d: TorchFunctions['conv2d'] = fns.conv2d;
/** Transposed convolution of input [N, C, H, W] with weight [C, O / groups, kH, kW]: the gradient of the convolution, [N, O, …]. */
export const conv_transpose2d: TorchFunctions['conv_transpose2d'] = fns.conv_transpose2d;
/** Convolution of input [N, C, D, H, W] with weight [O, C / groups, kD, kH, kW]: [N, O, …]. padding is a number for each axis, 'valid' or 'same'. */
export const conv3d: TorchFunctions['conv3d'] = fns.conv3d;
/** Transposed convolution of input [N, C, D, H, W] with weight [C, O / groups, kD, kH, kW]: the gradient of the convolution, [N, O, …]. */
export const conv_transpose3d: TorchFunctions['conv_transpose3d'] = fns.conv_transpose3d;
/** Maxima of windows over 1 axis of [N, C, …]. */
export const max_pool1d: TorchFunctions['max_pool1d'] = fns.max_pool1d;
/** Maxima of windows, and where they were as positions in the input's planes. */
export const max_pool1d_with_indices: TorchFunctions['max_pool1d_with_indices'] = fns.max_pool1d_with_indices;
/** Averages of windows over 1 axis of [N, C, …]. */
export const avg_pool1d: TorchFunctions['avg_pool1d'] = fns.avg_pool1d;
/** Maxima of as many windows as output_size says, and where they were. */
export const adaptive_max_pool1d: TorchFunctions['adaptive_max_pool1d'] = fns.adaptive_max_pool1d;
/** Averages of as many windows as output_size says, over 1 axis of [N, C, …]. */
export const adaptive_avg_pool1d: TorchFunctions['adaptive_avg_pool1d'] = fns.adaptive_avg_pool1d;
/** Maxima of windows over 2 axes of [N, C, …]. */
export const max_pool2d: TorchFunctions['max_pool2d'] = fns.max_pool2d;
/** Maxima of windows over 3 axes of [N, C, …]. */
export const max_pool3d: TorchFunctions['max_pool3d'] = fns.max_pool3d;
/** Every channel of input [N, C, …] to mean 0 and variance 1, by its own statistics or the running ones, then scaled and shifted. */
export const batch_norm: TorchFunctions['batch_norm'] = fns.batch_norm;
/** Every channel of every image of input [N, C, …] to mean 0 and variance 1, then scaled and shifted. */
export const instance_norm: TorchFunctions['instance_norm'] = fns.instance_norm;
/** Groups of channels of every image of input [N, C, …] to mean 0 and variance 1, then scaled and shifted by channel. */
export const group_norm: TorchFunctions['group_norm'] = fns.group_norm;
/** Rows over the last dimensions (normalized_shape) divided by their root mean square, then scaled by weight. */
export const rms_norm: TorchFunctions['rms_norm'] = fns.rms_norm;
/** Channels become pixels: [N, C * r * r, H, W] to [N, C, H * r, W * r]. */
export const pixel_shuffle: TorchFunctions['pixel_shuffle'] = fns.pixel_shuffle;
/** Pixels become channels: [N, C, H * r, W * r] to [N, C * r * r, H, W]. */
export const pixel_unshuffle: TorchFunctions['pixel_unshuffle'] = fns.pixel_unshuffle;
/** Channels of [N, C, …] in another order: one of each group after the other. */
export const channel_shuffle: TorchFunctions['channel_shuffle'] = fns.channel_shuffle;
