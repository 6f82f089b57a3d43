// Made by `npm run generate` from the op declarations in src/ops. Do not edit.

/** Operations that are not in the package's small entry point. */
export const ELSEWHERE = [
  'absolute adaptive_avg_pool1d adaptive_max_pool1d addbmm addcdiv addcmul addmv addr aminmax arccos arccosh arcsin arcsinh',
  'arctan arctan2 arctanh argsort as_strided atan2 atleast_1d atleast_2d atleast_3d avg_pool1d baddbmm batch_norm bernoulli',
  'bilinear bincount bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor bucketize',
  'cartesian_prod cauchy cdist chain_matmul channel_shuffle clamp_max clamp_min clip column_stack combinations',
  'constant_pad_nd conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d convolution copysign',
  'cosine_similarity count_nonzero cross cummax cummin deg2rad diag diag_embed diagflat diagonal diff dist divide dsplit',
  'dstack einsum exponential fix float_power floor_divide fmax fmin fmod geometric ger greater greater_equal group_norm gru',
  'gru_cell heaviside histc hsplit hstack hypot index_copy index_fill inner instance_norm isin isneginf isposinf isreal',
  'kron kthvalue ldexp lerp less less_equal log_normal logaddexp logaddexp2 logcumsumexp logical_and logical_or logical_xor',
  'logit lstm lstm_cell masked_scatter masked_select max_pool1d max_pool1d_with_indices max_pool2d max_pool3d median',
  'meshgrid mode moveaxis movedim msort multinomial multiply nanmean nanmedian nanquantile nansum negative norm normal',
  'not_equal outer pairwise_distance pdist pixel_shuffle pixel_unshuffle positive prelu put quantile rad2deg randint_like',
  'remainder repeat_interleave rms_norm rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell rot90 row_stack rrelu scatter',
  'scatter_reduce searchsorted signbit sinc sort squeeze std_mean subtract swapaxes swapdims t take take_along_dim',
  'tensor_split tensordot topk trace transpose tril tril_indices triu triu_indices true_divide unfold unique',
  'unique_consecutive unsqueeze var_mean vdot vsplit vstack xlogy',
].join(' ');
