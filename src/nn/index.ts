/** `torch.nn`. */
import './backward-hooks.ts';
import './functional-all.ts';

export { GLU, PReLU, RReLU } from './activation-more.ts';
export * from './core.ts';
// biome-ignore format: a table
export {
  BatchNorm1d, BatchNorm2d, BatchNorm3d, type BatchNormLayerOptions, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d,
} from './batchnorm.ts';
export { GroupNorm, type GroupNormOptions, RMSNorm, type RMSNormOptions } from './group-norm.ts';
// biome-ignore format: a table
export {
  AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d, AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d,
} from './adaptive-pooling.ts';
export { type AttentionOptions, MultiheadAttention, type MultiheadAttentionOptions } from './attention.ts';
export { LinearCrossEntropyLoss, type LinearCrossEntropyLossOptions } from './linear-cross-entropy.ts';
// biome-ignore format: a table
export {
  Conv1d, Conv2d, Conv3d, type ConvOptions, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d, type ConvTransposeOptions, type PaddingMode,
} from './conv.ts';
export { type BagMode, EmbeddingBag, type EmbeddingBagOptions } from './embedding-bag.ts';
export { LocalResponseNorm } from './local-response-norm.ts';
// biome-ignore format: a table
export {
  ChannelShuffle, Fold, PixelShuffle, PixelUnshuffle, Unflatten, Unfold, Upsample, type UpsampleOptions, UpsamplingBilinear2d, UpsamplingNearest2d,
} from './images.ts';
export { CosineSimilarity, PairwiseDistance } from './distance.ts';
export { Bilinear } from './bilinear.ts';
// biome-ignore format: a table
export {
  CTCLoss, GaussianNLLLoss, KLDivLoss, MultiLabelSoftMarginLoss, PoissonNLLLoss, SoftMarginLoss,
} from './likelihood-loss.ts';
// biome-ignore format: a table
export {
  CosineEmbeddingLoss, HingeEmbeddingLoss, MarginRankingLoss, MultiLabelMarginLoss, MultiMarginLoss, TripletMarginLoss, TripletMarginWithDistanceLoss,
} from './margin-loss.ts';
export * as modules from './modules-namespace.ts';
// biome-ignore format: a table
export {
  CircularPad1d, CircularPad2d, CircularPad3d, ConstantPad1d, ConstantPad2d, ConstantPad3d, ReflectionPad1d, ReflectionPad2d, ReflectionPad3d,
  ReplicationPad1d, ReplicationPad2d, ReplicationPad3d, ZeroPad1d, ZeroPad2d, ZeroPad3d,
} from './padding.ts';
export { ParameterDict, ParameterList } from './parameter-containers.ts';
// biome-ignore format: a table
export {
  AvgPool1d, AvgPool2d, AvgPool3d, type AvgPoolOptions, LPPool1d, LPPool2d, LPPool3d, MaxPool1d, MaxPool2d, MaxPool3d, type MaxPoolLayerOptions,
  MaxUnpool1d, MaxUnpool2d, MaxUnpool3d,
} from './pooling.ts';
export {
  GRU,
  LSTM,
  type LSTMOptions,
  type RecurrentOptions,
  RNN,
  RNNBase,
  type RNNOptions,
} from './recurrent.ts';
export {
  type CellOptions,
  GRUCell,
  LSTMCell,
  RNNCell,
  RNNCellBase,
  type RNNCellOptions,
} from './recurrent-cells.ts';
// biome-ignore format: a table
export {
  Transformer, TransformerDecoder, TransformerEncoder, type TransformerEncoderOptions, type TransformerMasks, type TransformerOptions,
} from './transformer.ts';
// biome-ignore format: a table
export {
  type Activation, type DecoderMasks, type EncoderMasks, TransformerDecoderLayer, TransformerEncoderLayer, type TransformerLayerOptions,
} from './transformer-layers.ts';
export * as utils from './utils/index.ts';
