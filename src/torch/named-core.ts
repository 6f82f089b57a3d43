// Made by `npm run generate` from the op declarations in src/ops. Do not edit.

import '../ops/core.ts';
import { functions } from './attach.ts';
import type { TorchFunctions } from './generated.ts';

const fns = functions as unknown as TorchFunctions;
/** A new leaf with a copy of the data: numbers make the default dtype, bigints int64, booleans bool. */
export const tensor: TorchFunctions['tensor'] = fns.tensor;
/** As `tensor`, but a tensor that fits already is returned as it is. */
export const as_tensor: TorchFunctions['as_tensor'] = fns.as_tensor;
/** Zeros of the given shape. */
export const zeros: TorchFunctions['zeros'] = fns.zeros;
/** Zeros of self's shape, dtype and device. */
export const zeros_like: TorchFunctions['zeros_like'] = fns.zeros_like;
/** Ones of the given shape. */
export const ones: TorchFunctions['ones'] = fns.ones;
/** Ones of self's shape, dtype and device. */
export const ones_like: TorchFunctions['ones_like'] = fns.ones_like;
/** Undefined contents of the given shape. */
export const empty: TorchFunctions['empty'] = fns.empty;
/** Undefined contents of self's shape, dtype and device. */
export const empty_like: TorchFunctions['empty_like'] = fns.empty_like;
/** The given value in the given shape; its dtype follows the value unless given. */
export const full: TorchFunctions['full'] = fns.full;
/** The given value in self's shape, dtype and device. */
export const full_like: TorchFunctions['full_like'] = fns.full_like;
/** Undefined contents with the given sizes and strides (in elements). */
export const empty_strided: TorchFunctions['empty_strided'] = fns.empty_strided;
/** Values from start (0) up to, not including, end in steps of step (1). int64 when all are whole numbers. */
export const arange: TorchFunctions['arange'] = fns.arange;
/** `steps` evenly spaced values from start to end, both included. */
export const linspace: TorchFunctions['linspace'] = fns.linspace;
/** Ones on the diagonal, zeros elsewhere: n x n, or n x m. */
export const eye: TorchFunctions['eye'] = fns.eye;
/** Uniform numbers in [0, 1), of the given shape. */
export const rand: TorchFunctions['rand'] = fns.rand;
/** Uniform numbers in [0, 1), in self's shape. */
export const rand_like: TorchFunctions['rand_like'] = fns.rand_like;
/** Normal numbers with mean 0 and variance 1, of the given shape. */
export const randn: TorchFunctions['randn'] = fns.randn;
/** Normal numbers with mean 0 and variance 1, in self's shape. */
export const randn_like: TorchFunctions['randn_like'] = fns.randn_like;
/** Whole numbers from low (0) up to, not including, high. int64 unless another dtype is given. */
export const randint: TorchFunctions['randint'] = fns.randint;
/** A random order of the whole numbers below n. */
export const randperm: TorchFunctions['randperm'] = fns.randperm;
/** A copy with its own storage; gradients flow through. */
export const clone: TorchFunctions['clone'] = fns.clone;
/** Tensors one after the other along dimension dim. */
export const cat: TorchFunctions['cat'] = fns.cat;
/** Another name of cat. */
export const concat: TorchFunctions['concat'] = fns.concat;
/** Another name of cat. */
export const concatenate: TorchFunctions['concatenate'] = fns.concatenate;
/** Tensors of one shape along a new dimension dim. */
export const stack: TorchFunctions['stack'] = fns.stack;
/** Sum over all elements, or over the dimensions dim. Integers and bools add up in int64. */
export const sum: TorchFunctions['sum'] = fns.sum;
/** Mean over all elements, or over the dimensions dim. */
export const mean: TorchFunctions['mean'] = fns.mean;
/** The largest element; with dim, along that dimension with its positions; with a tensor, elementwise. */
export const max: TorchFunctions['max'] = fns.max;
/** The largest elements over the dimensions dim; ties share the gradient. */
export const amax: TorchFunctions['amax'] = fns.amax;
/** Position of the largest element, in the flattened tensor or along dim. */
export const argmax: TorchFunctions['argmax'] = fns.argmax;
/** The smallest element; with dim, along that dimension with its positions; with a tensor, elementwise. */
export const min: TorchFunctions['min'] = fns.min;
/** The smallest elements over the dimensions dim; ties share the gradient. */
export const amin: TorchFunctions['amin'] = fns.amin;
/** Position of the smallest element, in the flattened tensor or along dim. */
export const argmin: TorchFunctions['argmin'] = fns.argmin;
/** Whether any elements are true, over everything or along dim. */
export const any: TorchFunctions['any'] = fns.any;
/** Whether all elements are true, over everything or along dim. */
export const all: TorchFunctions['all'] = fns.all;
/** Product of all elements, or along dim. Integers and bools multiply in int64. */
export const prod: TorchFunctions['prod'] = fns.prod;
/** self with another shape: a view where possible, otherwise a copy. One size may be -1. */
export const reshape: TorchFunctions['reshape'] = fns.reshape;
/** Dimensions start_dim to end_dim become one. */
export const flatten: TorchFunctions['flatten'] = fns.flatten;
/** All elements in one dimension, in row-major order: a view of what is contiguous. */
export const ravel: TorchFunctions['ravel'] = fns.ravel;
/** Matrices transposed, as there are no complex numbers: the last two dimensions exchanged. */
export const adjoint: TorchFunctions['adjoint'] = fns.adjoint;
/** Dimension dim becomes several, of the given sizes; one may be -1. */
export const unflatten: TorchFunctions['unflatten'] = fns.unflatten;
/** Dimensions in another order. */
export const permute: TorchFunctions['permute'] = fns.permute;
/** Two dimensions exchanged. */
export const transpose: TorchFunctions['transpose'] = fns.transpose;
/** Two dimensions exchanged; another name of transpose. */
export const swapaxes: TorchFunctions['swapaxes'] = fns.swapaxes;
/** Two dimensions exchanged; another name of transpose. */
export const swapdims: TorchFunctions['swapdims'] = fns.swapdims;
/** The transpose of a matrix; vectors and scalars as they are. */
export const t: TorchFunctions['t'] = fns.t;
/** A new dimension of size 1 at dim. */
export const unsqueeze: TorchFunctions['unsqueeze'] = fns.unsqueeze;
/** Without dimensions of size 1: all of them, or only those named. */
export const squeeze: TorchFunctions['squeeze'] = fns.squeeze;
/** self expanded to the given shape. */
export const broadcast_to: TorchFunctions['broadcast_to'] = fns.broadcast_to;
/** The slice at `index` of dimension dim, without that dimension. */
export const select: TorchFunctions['select'] = fns.select;
/** `length` elements of dimension dim from `start` on. */
export const narrow: TorchFunctions['narrow'] = fns.narrow;
/** self cut off from its graph; shares storage and version counter. */
export const detach: TorchFunctions['detach'] = fns.detach;
/** Matrix product [n, k] @ [k, m]. */
export const mm: TorchFunctions['mm'] = fns.mm;
/** Products of two batches of matrices, [b, n, k] @ [b, k, m]. */
export const bmm: TorchFunctions['bmm'] = fns.bmm;
/** beta * self + alpha * (mat1 @ mat2); self broadcasts to the product. */
export const addmm: TorchFunctions['addmm'] = fns.addmm;
/** Dot product of two vectors. */
export const dot: TorchFunctions['dot'] = fns.dot;
/** Matrix by vector. */
export const mv: TorchFunctions['mv'] = fns.mv;
/** Matrix product of vectors, matrices or broadcast batches of matrices. */
export const matmul: TorchFunctions['matmul'] = fns.matmul;
/** self + alpha * other, elementwise with broadcasting and type promotion. */
export const add: TorchFunctions['add'] = fns.add;
/** self - alpha * other, elementwise. */
export const sub: TorchFunctions['sub'] = fns.sub;
/** other - alpha * self, elementwise. */
export const rsub: TorchFunctions['rsub'] = fns.rsub;
/** self * other, elementwise. */
export const mul: TorchFunctions['mul'] = fns.mul;
/** -x, elementwise. */
export const neg: TorchFunctions['neg'] = fns.neg;
/** In-place form of `neg`. */
export const neg_: TorchFunctions['neg_'] = fns.neg_;
/** |x|, elementwise. */
export const abs: TorchFunctions['abs'] = fns.abs;
/** In-place form of `abs`. */
export const abs_: TorchFunctions['abs_'] = fns.abs_;
/** e to the power of x, elementwise. */
export const exp: TorchFunctions['exp'] = fns.exp;
/** In-place form of `exp`. */
export const exp_: TorchFunctions['exp_'] = fns.exp_;
/** Natural logarithm, elementwise. */
export const log: TorchFunctions['log'] = fns.log;
/** In-place form of `log`. */
export const log_: TorchFunctions['log_'] = fns.log_;
/** Square root, elementwise. */
export const sqrt: TorchFunctions['sqrt'] = fns.sqrt;
/** In-place form of `sqrt`. */
export const sqrt_: TorchFunctions['sqrt_'] = fns.sqrt_;
/** 1 / sqrt(x), elementwise. */
export const rsqrt: TorchFunctions['rsqrt'] = fns.rsqrt;
/** In-place form of `rsqrt`. */
export const rsqrt_: TorchFunctions['rsqrt_'] = fns.rsqrt_;
/** Sine of x in radians, elementwise. */
export const sin: TorchFunctions['sin'] = fns.sin;
/** In-place form of `sin`. */
export const sin_: TorchFunctions['sin_'] = fns.sin_;
/** Cosine of x in radians, elementwise. */
export const cos: TorchFunctions['cos'] = fns.cos;
/** In-place form of `cos`. */
export const cos_: TorchFunctions['cos_'] = fns.cos_;
/** Hyperbolic tangent, elementwise. */
export const tanh: TorchFunctions['tanh'] = fns.tanh;
/** In-place form of `tanh`. */
export const tanh_: TorchFunctions['tanh_'] = fns.tanh_;
/** 1 / (1 + exp(-x)), elementwise. */
export const sigmoid: TorchFunctions['sigmoid'] = fns.sigmoid;
/** In-place form of `sigmoid`. */
export const sigmoid_: TorchFunctions['sigmoid_'] = fns.sigmoid_;
/** Error function, elementwise. */
export const erf: TorchFunctions['erf'] = fns.erf;
/** In-place form of `erf`. */
export const erf_: TorchFunctions['erf_'] = fns.erf_;
/** The larger of both, elementwise; NaN where either is. */
export const maximum: TorchFunctions['maximum'] = fns.maximum;
/** The smaller of both, elementwise; NaN where either is. */
export const minimum: TorchFunctions['minimum'] = fns.minimum;
/** self == other, elementwise, as a bool tensor. */
export const eq: TorchFunctions['eq'] = fns.eq;
/** self != other, elementwise, as a bool tensor. */
export const ne: TorchFunctions['ne'] = fns.ne;
/** self < other, elementwise, as a bool tensor. */
export const lt: TorchFunctions['lt'] = fns.lt;
/** self <= other, elementwise, as a bool tensor. */
export const le: TorchFunctions['le'] = fns.le;
/** self > other, elementwise, as a bool tensor. */
export const gt: TorchFunctions['gt'] = fns.gt;
/** self >= other, elementwise, as a bool tensor. */
export const ge: TorchFunctions['ge'] = fns.ge;
/** True where x is 0 or False. */
export const logical_not: TorchFunctions['logical_not'] = fns.logical_not;
/** True where x is NaN. */
export const isnan: TorchFunctions['isnan'] = fns.isnan;
/** True where x is neither NaN nor infinite. */
export const isfinite: TorchFunctions['isfinite'] = fns.isfinite;
/** True where x is infinite. */
export const isinf: TorchFunctions['isinf'] = fns.isinf;
/** max(x, 0), elementwise. */
export const relu: TorchFunctions['relu'] = fns.relu;
/** In-place form of `relu`. */
export const relu_: TorchFunctions['relu_'] = fns.relu_;
/** self / other, elementwise; rounding_mode "trunc" or "floor" rounds the quotient and keeps integers. */
export const div: TorchFunctions['div'] = fns.div;
/** self to the power of exponent, elementwise; either may be a number. */
export const pow: TorchFunctions['pow'] = fns.pow;
/** Elements below min become min, above max become max. NaN stays. */
export const clamp: TorchFunctions['clamp'] = fns.clamp;
/** In-place form of `clamp`. */
export const clamp_: TorchFunctions['clamp_'] = fns.clamp_;
/** Elements of self where condition is true, of other elsewhere. */
export const where: TorchFunctions['where'] = fns.where;
/** value (a number or a 0-dim tensor) where mask is true, self elsewhere. */
export const masked_fill: TorchFunctions['masked_fill'] = fns.masked_fill;
/** 1 / x, elementwise. */
export const reciprocal: TorchFunctions['reciprocal'] = fns.reciprocal;
/** In-place form of `reciprocal`. */
export const reciprocal_: TorchFunctions['reciprocal_'] = fns.reciprocal_;
/** 2 to the power of x, elementwise. */
export const exp2: TorchFunctions['exp2'] = fns.exp2;
/** In-place form of `exp2`. */
export const exp2_: TorchFunctions['exp2_'] = fns.exp2_;
/** exp(x) - 1, exact near 0, elementwise. */
export const expm1: TorchFunctions['expm1'] = fns.expm1;
/** In-place form of `expm1`. */
export const expm1_: TorchFunctions['expm1_'] = fns.expm1_;
/** log(1 + x), exact near 0, elementwise. */
export const log1p: TorchFunctions['log1p'] = fns.log1p;
/** In-place form of `log1p`. */
export const log1p_: TorchFunctions['log1p_'] = fns.log1p_;
/** Logarithm to base 2, elementwise. */
export const log2: TorchFunctions['log2'] = fns.log2;
/** In-place form of `log2`. */
export const log2_: TorchFunctions['log2_'] = fns.log2_;
/** Logarithm to base 10, elementwise. */
export const log10: TorchFunctions['log10'] = fns.log10;
/** In-place form of `log10`. */
export const log10_: TorchFunctions['log10_'] = fns.log10_;
/** Tangent of x in radians, elementwise. */
export const tan: TorchFunctions['tan'] = fns.tan;
/** In-place form of `tan`. */
export const tan_: TorchFunctions['tan_'] = fns.tan_;
/** Arc sine in radians, elementwise. */
export const asin: TorchFunctions['asin'] = fns.asin;
/** In-place form of `asin`. */
export const asin_: TorchFunctions['asin_'] = fns.asin_;
/** Arc cosine in radians, elementwise. */
export const acos: TorchFunctions['acos'] = fns.acos;
/** In-place form of `acos`. */
export const acos_: TorchFunctions['acos_'] = fns.acos_;
/** Arc tangent in radians, elementwise. */
export const atan: TorchFunctions['atan'] = fns.atan;
/** In-place form of `atan`. */
export const atan_: TorchFunctions['atan_'] = fns.atan_;
/** Hyperbolic sine, elementwise. */
export const sinh: TorchFunctions['sinh'] = fns.sinh;
/** In-place form of `sinh`. */
export const sinh_: TorchFunctions['sinh_'] = fns.sinh_;
/** Hyperbolic cosine, elementwise. */
export const cosh: TorchFunctions['cosh'] = fns.cosh;
/** In-place form of `cosh`. */
export const cosh_: TorchFunctions['cosh_'] = fns.cosh_;
/** Inverse hyperbolic sine, elementwise. */
export const asinh: TorchFunctions['asinh'] = fns.asinh;
/** In-place form of `asinh`. */
export const asinh_: TorchFunctions['asinh_'] = fns.asinh_;
/** Inverse hyperbolic cosine, elementwise. */
export const acosh: TorchFunctions['acosh'] = fns.acosh;
/** In-place form of `acosh`. */
export const acosh_: TorchFunctions['acosh_'] = fns.acosh_;
/** Inverse hyperbolic tangent, elementwise. */
export const atanh: TorchFunctions['atanh'] = fns.atanh;
/** In-place form of `atanh`. */
export const atanh_: TorchFunctions['atanh_'] = fns.atanh_;
/** 1 - erf(x), exact where erf(x) is near 1, elementwise. */
export const erfc: TorchFunctions['erfc'] = fns.erfc;
/** In-place form of `erfc`. */
export const erfc_: TorchFunctions['erfc_'] = fns.erfc_;
/** The smallest whole number that is not below x, elementwise. */
export const ceil: TorchFunctions['ceil'] = fns.ceil;
/** In-place form of `ceil`. */
export const ceil_: TorchFunctions['ceil_'] = fns.ceil_;
/** The largest whole number that is not above x, elementwise. */
export const floor: TorchFunctions['floor'] = fns.floor;
/** In-place form of `floor`. */
export const floor_: TorchFunctions['floor_'] = fns.floor_;
/** x without its fraction, elementwise. */
export const trunc: TorchFunctions['trunc'] = fns.trunc;
/** In-place form of `trunc`. */
export const trunc_: TorchFunctions['trunc_'] = fns.trunc_;
/** The nearest number with that many decimals, elementwise; halves go to the even neighbour. */
export const round: TorchFunctions['round'] = fns.round;
/** In-place form of `round`. */
export const round_: TorchFunctions['round_'] = fns.round_;
/** The fraction of x, with its sign, elementwise. */
export const frac: TorchFunctions['frac'] = fns.frac;
/** In-place form of `frac`. */
export const frac_: TorchFunctions['frac_'] = fns.frac_;
/** The sign of x: -1, 0 or 1, elementwise. */
export const sign: TorchFunctions['sign'] = fns.sign;
/** The sign of x: -1, 0 or 1, elementwise. */
export const sgn: TorchFunctions['sgn'] = fns.sgn;
/** x * x, elementwise. */
export const square: TorchFunctions['square'] = fns.square;
/** In-place form of `square`. */
export const square_: TorchFunctions['square_'] = fns.square_;
/** Numbers in place of NaN (0), infinity (the largest of the dtype) and minus infinity, elementwise. */
export const nan_to_num: TorchFunctions['nan_to_num'] = fns.nan_to_num;
/** In-place form of `nan_to_num`. */
export const nan_to_num_: TorchFunctions['nan_to_num_'] = fns.nan_to_num_;
/** x where it is above the threshold, else value, elementwise. */
export const threshold: TorchFunctions['threshold'] = fns.threshold;
/** In-place form of `threshold`. */
export const threshold_: TorchFunctions['threshold_'] = fns.threshold_;
/** elu, scaled so that mean and variance settle at 0 and 1, elementwise. */
export const selu: TorchFunctions['selu'] = fns.selu;
/** In-place form of `selu`. */
export const selu_: TorchFunctions['selu_'] = fns.selu_;
/** x where it is positive, else alpha * (exp(x / alpha) - 1), elementwise. */
export const celu: TorchFunctions['celu'] = fns.celu;
/** In-place form of `celu`. */
export const celu_: TorchFunctions['celu_'] = fns.celu_;
/** 0 between -lambd and lambd, x elsewhere. */
export const hardshrink: TorchFunctions['hardshrink'] = fns.hardshrink;
/** Variance over all elements or the dimensions dim, divided by n - correction (1). */
const var_: TorchFunctions['var'] = fns.var;
/** Standard deviation over all elements or the dimensions dim, divided by n - correction (1). */
export const std: TorchFunctions['std'] = fns.std;
/** Running sums along dim. Integers and bools add up in int64. */
export const cumsum: TorchFunctions['cumsum'] = fns.cumsum;
/** Running products along dim. Integers and bools multiply in int64. */
export const cumprod: TorchFunctions['cumprod'] = fns.cumprod;
/** Pieces of dimension dim: of one size (the last may be smaller), or of given sizes. */
export const split: TorchFunctions['split'] = fns.split;
/** At most `chunks` pieces of dimension dim, of equal size but for the last. */
export const chunk: TorchFunctions['chunk'] = fns.chunk;
/** The slices along dimension dim, without that dimension. */
export const unbind: TorchFunctions['unbind'] = fns.unbind;
/** A view with the given sizes, strides and storage offset, all in elements. */
export const as_strided: TorchFunctions['as_strided'] = fns.as_strided;
/** Positions of the elements that are not zero, one row each, or with as_tuple a list with one tensor per dimension. Waits for the device. */
export const nonzero: TorchFunctions['nonzero'] = fns.nonzero;
/** As `nonzero`. */
export const argwhere: TorchFunctions['argwhere'] = fns.argwhere;
/** As `index_put_`, on a copy. */
export const index_put: TorchFunctions['index_put'] = fns.index_put;
/** The slices of dimension dim at the positions in index, a vector of int64 or int32. */
export const index_select: TorchFunctions['index_select'] = fns.index_select;
/** As `index_add_`, on a copy. */
export const index_add: TorchFunctions['index_add'] = fns.index_add;
/** out[i][j] = self[index[i][j]][j] for dim = 0, and so on: picks along dim. */
export const gather: TorchFunctions['gather'] = fns.gather;
/** As `scatter_add_`, on a copy. */
export const scatter_add: TorchFunctions['scatter_add'] = fns.scatter_add;
/** A copy with the order of elements reversed along the dimensions dims. */
export const flip: TorchFunctions['flip'] = fns.flip;
/** A copy with dimension 1 reversed. */
export const fliplr: TorchFunctions['fliplr'] = fns.fliplr;
/** A copy with dimension 0 reversed. */
export const flipud: TorchFunctions['flipud'] = fns.flipud;
/** Elements moved by `shifts` along `dims`, round the end; without dims along the flattened tensor. */
export const roll: TorchFunctions['roll'] = fns.roll;
/** As `repeat`, but fewer numbers count from the last dimension. */
export const tile: TorchFunctions['tile'] = fns.tile;
/** Elementwise: |self - other| <= atol + rtol * |other|. */
export const isclose: TorchFunctions['isclose'] = fns.isclose;
/** Whether all elements satisfy |self - other| <= atol + rtol * |other|. Waits for the device. */
export const allclose: TorchFunctions['allclose'] = fns.allclose;
/** Whether both have the same sizes and elements. Waits for the device. */
export const equal: TorchFunctions['equal'] = fns.equal;
/** exp(x) / sum(exp(x)) along dimension dim. */
export const softmax: TorchFunctions['softmax'] = fns.softmax;
/** Logarithm of softmax along dimension dim. */
export const log_softmax: TorchFunctions['log_softmax'] = fns.log_softmax;
/** log(sum(exp(x))) over the dimensions dim, without overflow. */
export const logsumexp: TorchFunctions['logsumexp'] = fns.logsumexp;
/** Rows over the last dimensions (normalized_shape) to mean 0 and variance 1, then scaled by weight and shifted by bias. */
export const layer_norm: TorchFunctions['layer_norm'] = fns.layer_norm;
/** During training zeroes elements with probability p and scales the others by 1 / (1 - p). */
export const dropout: TorchFunctions['dropout'] = fns.dropout;
/** During training zeroes elements with probability p and scales the others by 1 / (1 - p). */
export const dropout_: TorchFunctions['dropout_'] = fns.dropout_;
/** During training zeroes channels (of dimensions 0 and 1) with probability p and scales the others. */
export const feature_dropout: TorchFunctions['feature_dropout'] = fns.feature_dropout;
/** During training zeroes channels (of dimensions 0 and 1) with probability p and scales the others. */
export const feature_dropout_: TorchFunctions['feature_dropout_'] = fns.feature_dropout_;
/** During training drops elements to the lowest value of selu, and keeps mean and variance. */
export const alpha_dropout: TorchFunctions['alpha_dropout'] = fns.alpha_dropout;
/** During training drops elements to the lowest value of selu, and keeps mean and variance. */
export const alpha_dropout_: TorchFunctions['alpha_dropout_'] = fns.alpha_dropout_;
/** During training drops channels to the lowest value of selu, and keeps mean and variance. */
export const feature_alpha_dropout: TorchFunctions['feature_alpha_dropout'] = fns.feature_alpha_dropout;
/** During training drops channels to the lowest value of selu, and keeps mean and variance. */
export const feature_alpha_dropout_: TorchFunctions['feature_alpha_dropout_'] = fns.feature_alpha_dropout_;
export { var_ as var };
