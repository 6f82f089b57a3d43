/** Types of a tensor's properties and of the methods that are not ops. `src/torch/members.ts` implements them. */
import type { Device } from '../core/device.ts';
import type { Size } from '../core/size.ts';
import type { Node } from './node.ts';
import type { Tensor, TensorHook } from './tensor.ts';

/** What `register_hook` returns. */
export interface RemovableHandle extends Disposable {
  remove(): void;
}

export interface TensorMembers extends Iterable<Tensor> {
  /** Sizes. */
  readonly shape: Size;
  /** Sizes, or the size of one dimension. */
  size(): Size;
  size(dim: number): number;
  /** Strides in elements, or the stride of one dimension. */
  stride(): number[];
  stride(dim: number): number;
  /** Number of dimensions. */
  readonly ndim: number;
  /** Number of dimensions. */
  dim(): number;
  /** Number of elements. */
  numel(): number;
  /** Number of elements. */
  nelement(): number;
  /** Bytes of one element. */
  element_size(): number;
  /** Bytes of all elements. */
  readonly nbytes: number;
  readonly itemsize: number;
  /** Where the first element is in the storage, in elements. */
  storage_offset(): number;
  /** Address of the first element on the virtual device. */
  data_ptr(): number;
  /** Whether the elements lie in row-major order without gaps. */
  is_contiguous(): boolean;
  readonly device: Device;
  readonly is_cpu: boolean;
  readonly is_mtia: boolean;
  readonly is_cuda: boolean;
  readonly is_meta: boolean;
  /** Whether the dtype is float64, float32, float16 or bfloat16. */
  is_floating_point(): boolean;
  /** Always false: there are no complex dtypes here. */
  is_complex(): boolean;
  /** Whether the dtype has negative values. */
  is_signed(): boolean;
  /** Dimensions in reverse order. */
  readonly T: Tensor;
  /** The last two dimensions exchanged. */
  readonly mT: Tensor;

  requires_grad: boolean;
  /** Sets `requires_grad` (true), for leaves only, and gives the tensor itself. */
  requires_grad_(requires_grad?: boolean): this;
  grad: Tensor | null;
  /** The node that made this tensor; null for leaves. */
  readonly grad_fn: Node | null;
  readonly is_leaf: boolean;
  readonly output_nr: number;
  /** The same data outside of the graph, with a version counter of its own. Assigning replaces the data. */
  data: Tensor;
  /** Number of in-place changes, shared with views. */
  readonly _version: number;
  /** The tensor this one is a view of; null if none. */
  readonly _base: Tensor | null;
  _is_view(): boolean;
  /** Whether it was made under `torch.inference_mode`. */
  is_inference(): boolean;
  readonly retains_grad: boolean;
  /** Keeps `.grad` of a tensor that is not a leaf, too, when backward passes it. */
  retain_grad(): void;
  /** Adds the gradients of this tensor (of one element, or with the given gradient) to `.grad` of the leaves. */
  backward(
    gradient?: Tensor | null,
    options?: {
      retain_graph?: boolean | null;
      create_graph?: boolean;
      inputs?: Tensor | readonly Tensor[] | null;
    },
  ): void;
  backward(
    gradient: Tensor | null | undefined,
    retain_graph: boolean | null | undefined,
    create_graph?: boolean,
    options?: { inputs?: Tensor | readonly Tensor[] | null },
  ): void;
  backward(options: {
    gradient?: Tensor | null;
    retain_graph?: boolean | null;
    create_graph?: boolean;
    inputs?: Tensor | readonly Tensor[] | null;
  }): void;
  /**
   * Work given to `stream` uses this tensor, too: its memory is used again only when the host has waited for that. Not needed
   * for the stream that was current when the tensor was made.
   */
  record_stream(stream: { readonly stream_id: number; readonly device: Device }): void;
  /** Calls hook with the gradient when it has been computed; what it returns takes the gradient's place. */
  register_hook(hook: TensorHook): RemovableHandle;
  /** Cuts this tensor off from its graph. */
  detach_(): this;
  /** Python's `repr`. */
  toString(): string;
  /** What `JSON.stringify` writes: the values, as `tolist()` gives them. */
  toJSON(): unknown;
}
