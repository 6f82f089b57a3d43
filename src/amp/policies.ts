/**
 * Which dtype every operation runs in under autocast: PyTorch's lists for cpu and for mtia, by op name, as data. An op in
 * no list runs in the dtype of what it is given. `cast.ts` applies them; what calls ops asks `policiesOf` once for each.
 */

/**
 * What happens to an op's floating-point tensors (float64 ones excepted).
 * - `lower`: they become the dtype of autocast.
 * - `fp32`: they become float32.
 * - `dtype`: the op's `dtype` is float32, unless it is given.
 * - `promote`: they become float32 if one of them is, otherwise the dtype of autocast.
 * - `banned`: the op is refused.
 * - `through`: nothing, but the ops that it consists of are cast.
 */
export type Cast = 'lower' | 'fp32' | 'dtype' | 'promote' | 'banned' | 'through';

export interface Policy {
  readonly cast: Cast;
  /** The calls that are meant, by their bound values; null: all. */
  readonly when: ((values: readonly unknown[]) => boolean) | null;
}

/** By device; null: in none of its lists. */
export interface Policies {
  readonly cpu: Policy | null;
  readonly mtia: Policy | null;
}

type Lists = Readonly<Partial<Record<Cast, string>>>;

/** As PyTorch registers them for a device. Names that are not there (yet) are harmless. */
export const LISTS: Readonly<Record<'cpu' | 'mtia', Lists>> = {
  cpu: {
    lower: `
      conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d
      mm bmm addmm baddbmm addbmm matmul linear linalg_vecdot prelu scaled_dot_product_attention
      lstm rnn_tanh rnn_relu rnn_tanh_cell rnn_relu_cell`,
    fp32: `
      avg_pool3d max_pool3d adaptive_avg_pool3d adaptive_max_pool3d fractional_max_pool2d fractional_max_pool3d
      max_unpool2d max_unpool3d reflection_pad1d reflection_pad2d replication_pad1d replication_pad2d replication_pad3d
      grid_sampler grid_sampler_2d grid_sampler_3d prod trace quantile nanquantile cdist polar view_as_complex stft
      mse_loss l1_loss smooth_l1_loss huber_loss nll_loss nll_loss2d cross_entropy_loss kl_div poisson_nll_loss
      binary_cross_entropy binary_cross_entropy_with_logits soft_margin_loss margin_ranking_loss hinge_embedding_loss
      cosine_embedding_loss triplet_margin_loss multi_margin_loss multilabel_margin_loss
      multilabel_margin_loss_forward ctc_loss
      fft_fft fft_ifft fft_fft2 fft_ifft2 fft_fftn fft_ifftn fft_rfft fft_irfft fft_rfft2 fft_irfft2 fft_rfftn
      fft_irfftn fft_hfft fft_ihfft
      cholesky cholesky_inverse cholesky_solve inverse pinverse lu_solve orgqr ormqr geqrf qr svd triangular_solve
      linalg_cholesky linalg_cholesky_ex linalg_cond linalg_eig linalg_eigh linalg_eigvals linalg_eigvalsh
      linalg_householder_product linalg_inv linalg_inv_ex linalg_lstsq linalg_matrix_rank linalg_qr linalg_solve
      linalg_svd linalg_svdvals linalg_tensorinv linalg_tensorsolve fake_quantize_per_tensor_affine`,
    promote: 'stack cat index_copy',
  },
  mtia: {
    lower: `
      conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution
      mm bmm mv addmm addmv addr baddbmm addbmm matmul linear einsum chain_matmul linalg_multi_dot linalg_vecdot prelu
      scaled_dot_product_attention lstm gru rnn_tanh rnn_relu lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell`,
    fp32: `
      acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow softplus
      layer_norm native_layer_norm rms_norm group_norm frobenius_norm nuclear_norm renorm logsumexp
      cosine_similarity dist pdist cdist
      mse_loss l1_loss smooth_l1_loss huber_loss nll_loss nll_loss2d kl_div poisson_nll_loss
      binary_cross_entropy_with_logits soft_margin_loss margin_ranking_loss hinge_embedding_loss cosine_embedding_loss
      triplet_margin_loss multi_margin_loss multilabel_margin_loss
      upsample_nearest1d upsample_nearest2d upsample_nearest3d upsample_linear1d upsample_bilinear2d
      upsample_trilinear3d upsample_bicubic2d`,
    dtype: 'prod softmax log_softmax cumprod cumsum linalg_vector_norm linalg_matrix_norm sum norm',
    promote: 'addcdiv addcmul atan2 bilinear cross dot vdot grid_sampler index_put tensordot scatter_add',
    banned: 'binary_cross_entropy',
  },
};

/** Ops that are one here and several in PyTorch, or have another name there: what becomes of them because of their parts. */
const COMPOSED: Readonly<Record<'cpu' | 'mtia', Lists>> = {
  cpu: {
    lower: 'linalg_matmul',
    fp32: 'cross_entropy adaptive_max_pool3d_with_indices pad',
    promote: 'concat concatenate hstack vstack row_stack dstack column_stack',
    through: 'einsum tensordot inner chain_matmul linalg_multi_dot',
  },
  mtia: {
    lower: 'linalg_matmul',
    fp32: `
      arccos arcsin square cross_entropy multilabel_soft_margin_loss normalize pairwise_distance interpolate
      sum_to_size gumbel_softmax`,
    dtype: 'linalg_norm',
    promote: 'arctan2 inner',
  },
};

type Condition = (values: readonly unknown[]) => boolean;

/** Ops of which only some calls are in a list, by their bound values. */
const CONDITIONS: Readonly<Record<string, Condition>> = {
  /** Reflection in three dimensions is in none. */
  pad: ([, pad, mode]) => mode === 'replicate' || (mode === 'reflect' && (pad as number[]).length <= 4),
  /** 'area' is adaptive pooling. */
  interpolate: ([, , , mode]) => mode !== 'area',
  /** Where nothing is summed, nothing is called. */
  sum_to_size: ([x, sizes]) => {
    const given = (x as { sizes: readonly number[] }).sizes;
    const wanted = sizes as readonly number[];
    return given.length !== wanted.length || given.some((size, d) => size !== wanted[d]);
  },
};

function byName(device: 'cpu' | 'mtia'): ReadonlyMap<string, Policy> {
  const policies = new Map<string, Policy>();
  for (const lists of [LISTS[device], COMPOSED[device]]) {
    for (const [cast, names] of Object.entries(lists) as [Cast, string][]) {
      for (const name of names.trim().split(/\s+/)) policies.set(name, { cast, when: CONDITIONS[name] ?? null });
    }
  }
  return policies;
}

const cpu = byName('cpu');
const mtia = byName('mtia');

/** What autocast does to an op; null: it is in no list. */
export function policiesOf(name: string): Policies | null {
  const policies = { cpu: cpu.get(name) ?? null, mtia: mtia.get(name) ?? null };
  return policies.cpu === null && policies.mtia === null ? null : policies;
}
