/**
 * `pointwise({…})`: declares a pointwise op by its expression. Promotion, broadcasting, kernels for every dtype and
 * device, the gradient (of any order), the in-place form and scalar operands all follow from that.
 *
 *     pointwise({
 *       schema: 'softplus_ish(Tensor self) -> Tensor',
 *       doc: 'log(1 + exp(x)), elementwise.',
 *       rule: 'float',
 *       expr: ({ self }) => e.log1p(e.exp(self)),
 *     });
 */
import type { DType } from '../core/dtype.ts';
import type { Scalar } from '../core/promote.ts';
import { broadcastSizes } from '../core/shape.ts';
import type { Expr } from '../kernels/expr.ts';
import * as e from '../kernels/expr.ts';
import { entry, recorded } from '../memory/entry.ts';
import { Tensor } from '../tensor/tensor.ts';
import { tensorFromData } from './from-data.ts';
import { backendOf } from './options.ts';
import { applyInplace, checkChange, checkOutput } from './pointwise-inplace.ts';
import { commonDType, type DTypeRule, PointwiseOp } from './pointwise-op.ts';
import { applyBinary, applyGeneral, applyNumber, applyUnary } from './pointwise-run.ts';
import { define, type Op, type OpEntry, type Placement } from './registry.ts';
import { checkScalar } from './scalar-range.ts';
import { type Param, parseSchema, type Schema } from './schema.ts';

/** Parameters by name, as expressions: tensors are inputs, scalars are launch arguments (or constants at defaults). */
export type Variables = Readonly<Record<string, Expr>>;
/** Parameters that choose the expression: strings, booleans, and which optional ones are null. */
export type Choices = Readonly<Record<string, unknown>>;

export interface PointwiseDeclaration extends Placement {
  schema: string;
  doc: string;
  rule: DTypeRule | ((choices: Choices) => DTypeRule);
  expr: (v: Variables, choices: Choices) => Expr;
  /**
   * Gradients by parameter, where the derived one is not wanted: of `grad`, `result` and the parameters. What they
   * read is what is saved, as in PyTorch. null: no gradient.
   */
  grad?: Readonly<Record<string, (v: Variables, choices: Choices) => Expr | null | undefined>>;
  /** What gradients read but do not change with (`result` or parameters): their own gradient is 0, and recorded. */
  flat?: readonly string[];
  /** Whether PyTorch keeps a number among the operands for backward, as a tensor. */
  keepsNumber?: boolean;
  /** PyTorch has no derivative: the result requires grad like its inputs, and backward raises. */
  underivable?: boolean | ((isTensor: (param: string) => boolean) => boolean);
  /** The result is row-major, whatever the layout of the inputs. */
  rowMajor?: boolean | ((isTensor: (param: string) => boolean) => boolean);
  /** Values of number parameters that are worth code of their own: they count as choices. */
  constants?: Readonly<Record<string, readonly number[]>>;
  /** Tensor parameters that are truth values. */
  masks?: readonly string[];
  /** Tensor parameters that take no part in type promotion. */
  bystanders?: readonly string[];
  /** Scalar parameters that take part in type promotion, as `Tensor|Scalar` ones always do. */
  promotes?: readonly string[];
  /** Default: true. */
  inplace?: boolean;
  /**
   * PyTorch's node name; by default from the schema's name: `mul` gives `MulBackward0`. Overloads have numbers of their
   * own: `isTensor` says of a parameter whether it was given as a tensor.
   */
  node?: string | ((isTensor: (param: string) => boolean, choices: Choices) => string);
  /** The kernel's name in "not implemented for" errors. */
  kernelName?: string;
  /** `Tensor|Scalar` parameters whose numbers the promoted dtype must have; others wrap around. `Scalar` ones always must. */
  strict?: readonly string[];
  /** Refuses what PyTorch refuses; gets the promoted dtype and the bound values, and whether self is changed in place. */
  check?: (common: DType, values: readonly unknown[], inplace: boolean) => void;
  /** Changes bound values before anything else, in place. */
  prepare?: (values: unknown[]) => void;
  /** As `check`, always after shapes. */
  late?: (common: DType, values: readonly unknown[]) => void;
  /** Whether what `check` refuses comes before shapes that do not fit. */
  checksFirst?: boolean;
}

const ZERO = e.constant(0);

/** Whose in-place forms PyTorch offers as functions, too: `torch.exp_(x)`. It follows no rule. */
// biome-ignore format: a table
const INPLACE_FUNCTIONS: ReadonlySet<string> = new Set([
  'abs', 'acos', 'acosh', 'asin', 'asinh', 'atan', 'atanh', 'ceil', 'clamp', 'clamp_max', 'clamp_min', 'cos', 'cosh', 'deg2rad',
  'erf', 'erfc', 'exp', 'exp2', 'expm1', 'floor', 'frac', 'log', 'log10', 'log1p', 'log2', 'logit', 'nan_to_num', 'neg', 'rad2deg',
  'reciprocal', 'relu', 'round', 'rsqrt', 'sigmoid', 'sin', 'sinc', 'sinh', 'sqrt', 'square', 'tan', 'tanh', 'trunc', 'xlogy',
]);

const camel = (name: string) =>
  name
    .split('_')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');

/** `MulBackward0` from `mul`. */
export function nodeNameOf(name: string): string {
  return `${camel(name)}Backward0`;
}

/** One pointwise declaration with its variants: which operands are tensors, which scalars, which choices were made. */
class Family {
  private readonly variants = new Map<string, PointwiseOp>();
  /** Every tensor parameter is a tensor, everything else at its default. */
  readonly plain: PointwiseOp;

  constructor(
    readonly declaration: PointwiseDeclaration,
    readonly schema: Schema,
  ) {
    this.plain = this.variant(
      schema.params.map((p) => (p.type === 'Tensor' || p.type === 'Tensor|Scalar' ? 'T' : kindOf(p, p.default))),
      schema.params.map((p) => p.default),
    );
  }

  variant(kinds: readonly string[], values: readonly unknown[]): PointwiseOp {
    const key = kinds.join(',');
    let op = this.variants.get(key);
    if (op === undefined) this.variants.set(key, (op = this.build(kinds, values)));
    return op;
  }

  private build(kinds: readonly string[], values: readonly unknown[]): PointwiseOp {
    const { declaration, schema } = this;
    const v: Record<string, Expr> = {};
    const choices: Record<string, unknown> = {};
    const names: string[] = [];
    let masks = 0;
    let bystanders = 0;
    let scalars = 0;
    schema.params.forEach((param, i) => {
      const kind = kinds[i];
      if (kind === 'T') {
        const index = names.length;
        const mask = declaration.masks?.includes(param.name) ?? false;
        if (mask) masks |= 1 << index;
        if (mask || declaration.bystanders?.includes(param.name)) bystanders |= 1 << index;
        v[param.name] = mask ? e.raw(index) : e.input(index);
        names.push(param.name);
      } else if (kind === 'S') v[param.name] = e.scalar(scalars++);
      else {
        choices[param.name] = values[i];
        if (typeof values[i] === 'number' || kind.startsWith('=')) v[param.name] = e.constant(Number(values[i]));
      }
    });
    const all = { ...v, result: e.input(names.length), grad: e.input(names.length + 1) };
    const isTensor = (name: string) => names.includes(name);
    const { underivable: lacks = false } = declaration;
    const underivable = typeof lacks === 'function' ? lacks(isTensor) : lacks;
    const op = new PointwiseOp(
      schema.name,
      underivable ? 'NotImplemented' : this.nodeName(isTensor, choices),
      declaration.expr(v, choices),
      names.length,
      scalars,
      typeof declaration.rule === 'function' ? declaration.rule(choices) : declaration.rule,
      masks,
      bystanders,
      underivable ? () => ZERO : gradientsOf(declaration, names, all, choices),
      declaration.kernelName,
      names,
      [...names, 'result'].reduce((bits, name, i) => (declaration.flat?.includes(name) ? bits | (1 << i) : bits), 0),
    );
    const { rowMajor = false } = declaration;
    op.rowMajor = typeof rowMajor === 'function' ? rowMajor(isTensor) : rowMajor;
    op.keepsNumber = scalars > 0 && (declaration.keepsNumber ?? false);
    op.underivable = underivable;
    return op;
  }

  /** dtypes that `check` has let through; it depends on nothing else where no option is given. */
  private readonly checked: boolean[] = [];

  /** Whether x's dtype is known to pass `check`. */
  accepts(x: Tensor): boolean {
    // A method that was taken off its tensor.
    if (!(x instanceof Tensor)) return false;
    const known = this.checked[x.dtype.index];
    if (known !== undefined) return known;
    const { check, late } = this.declaration;
    const values = this.schema.params.map((p) => (p.type.startsWith('Tensor') ? x : p.default));
    let passes = true;
    try {
      check?.(x.dtype, values, false);
      late?.(x.dtype, values);
    } catch {
      passes = false;
    }
    return (this.checked[x.dtype.index] = passes);
  }

  /** `f(tensor, number)` of a float tensor; null where numbers need a closer look. */
  numberForm(): PointwiseOp | null {
    const second = this.schema.params[1];
    const { constants, strict } = this.declaration;
    if (second.type !== 'Tensor|Scalar' || constants?.[second.name] !== undefined) return null;
    if (strict?.includes(second.name)) return null;
    return this.variant(
      this.schema.params.map((p, i) => (i === 0 ? 'T' : i === 1 ? 'S' : kindOf(p, p.default))),
      this.schema.params.map((p) => p.default),
    );
  }

  /** Two tensors that the hot path is not for. */
  general(a: Tensor, b: Tensor): Tensor {
    const { plain: op, declaration } = this;
    const inputs = [a, b];
    const { check, late } = declaration;
    if (check !== undefined || late !== undefined) {
      const common = commonDType(inputs, op.bystanders, null);
      const values = [a, b, ...this.schema.params.slice(2).map((p) => p.default)];
      let passed = false;
      try {
        check?.(common, values, false);
        passed = true;
        late?.(common, values);
      } catch (error) {
        if (passed || !declaration.checksFirst) broadcastSizes(a.sizes, b.sizes);
        throw error;
      }
    }
    return applyGeneral(op, inputs, null, null);
  }

  private isConstant(param: Param, value: unknown): boolean {
    const list = this.declaration.constants?.[param.name];
    return list?.includes(typeof value === 'boolean' ? Number(value) : (value as number)) ?? false;
  }

  private nodeName(isTensor: (param: string) => boolean, choices: Choices): string {
    const { node } = this.declaration;
    if (typeof node === 'function') return node(isTensor, choices);
    return node ?? nodeNameOf(this.schema.name);
  }

  /** Sorts bound values into tensors and scalars. */
  sort(values: readonly unknown[]): Call {
    const kinds: string[] = [];
    const inputs: Tensor[] = [];
    const scalars: Scalar[] = [];
    const promoting: Scalar[] = [];
    this.schema.params.forEach((param, i) => {
      const value = values[i];
      if (value instanceof Tensor && param.type !== 'Scalar') {
        kinds.push('T');
        inputs.push(value);
        return;
      }
      const kind = this.isConstant(param, value) ? `=${value}` : kindOf(param, value);
      kinds.push(kind);
      const { promotes, bystanders } = this.declaration;
      const weighs =
        param.type === 'Tensor|Scalar' ? !bystanders?.includes(param.name) : promotes?.includes(param.name);
      if (kind.startsWith('=') && weighs) promoting.push(value as Scalar);
      if (kind !== 'S') return;
      const scalar = (value instanceof Tensor ? value.item() : value) as Scalar;
      scalars.push(scalar);
      if (weighs) promoting.push(scalar);
    });
    return { op: this.variant(kinds, values), inputs, scalars, promoting };
  }

  check(values: readonly unknown[], call: Call, inplace: boolean): void {
    const { check, strict, late } = this.declaration;
    const { params } = this.schema;
    if (check === undefined && late === undefined && strict === undefined && !params.some((p) => p.type === 'Scalar'))
      return;
    const common = commonOf(call);
    const shapes = () => (inplace ? checkTarget : checkShapes)(call);
    let passed = false;
    try {
      check?.(common, values, inplace);
      passed = true;
      late?.(common, values);
      params.forEach((param, i) => {
        const value = values[i];
        if (value === null || typeof value === 'object') return;
        if (param.type === 'Scalar' || strict?.includes(param.name)) checkScalar(common, value);
      });
    } catch (error) {
      // Shapes come first, where they do not fit either.
      if (passed || !this.declaration.checksFirst) shapes();
      throw error;
    }
  }
}

/** A function of its own: a closure made where the call's tensors are in reach would keep them alive with the op. */
function gradientsOf(
  declaration: PointwiseDeclaration,
  names: readonly string[],
  all: Record<string, Expr>,
  choices: Choices,
): (i: number) => Expr | null | undefined {
  return (i) => declaration.grad?.[names[i]]?.(all, choices);
}

interface Call {
  op: PointwiseOp;
  inputs: Tensor[];
  scalars: Scalar[];
  promoting: Scalar[];
}

function checkShapes({ inputs }: Call): void {
  inputs.reduce((sizes, x) => broadcastSizes(sizes, x.sizes), inputs[0].sizes);
}

const checkTarget = (call: Call) => checkOutput(call.op, call.inputs, orNull(call.promoting));

function commonOf(call: Call): DType {
  return commonDType(call.inputs, call.op.bystanders, call.promoting.length > 0 ? call.promoting : null);
}

/** `S`: a launch argument. Anything else chooses the variant. */
function kindOf(param: Param, value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (param.type === 'str' || param.type === 'bool') return String(value);
  // A scalar at its default is worth code of its own: alpha = 1 is no multiplication.
  if (param.type !== 'Tensor|Scalar' && param.hasDefault && value === param.default) return 'default';
  return 'S';
}

const orNull = <T>(list: T[]): T[] | null => (list.length > 0 ? list : null);

/** A pointwise operation as plain functions of its bound values, for what is offered under no name of its own. */
export interface PointwiseForms {
  apply(...values: unknown[]): Tensor;
  /** Writes into `self`, the first value, and returns it. */
  inplace(...values: unknown[]): Tensor;
}

export function pointwiseForms(declaration: PointwiseDeclaration): PointwiseForms {
  return formsOf(new Family(declaration, parseSchema(declaration.schema)));
}

function formsOf(family: Family): PointwiseForms {
  const { declaration } = family;
  return {
    apply(...values) {
      declaration.prepare?.(values);
      const call = family.sort(values);
      if (call.inputs.length === 0) return onlyNumbers(family, values);
      family.check(values, call, false);
      return applyGeneral(call.op, call.inputs, orNull(call.scalars), orNull(call.promoting));
    },
    inplace(...values) {
      declaration.prepare?.(values);
      const call = family.sort(values);
      checkChange(call.op, call.inputs);
      family.check(values, call, true);
      return applyInplace(call.op, call.inputs, orNull(call.scalars), orNull(call.promoting));
    },
  };
}

/** Declares a pointwise op: under its name, and in place under its name with `_`. */
export function pointwise(declaration: PointwiseDeclaration): Op {
  const schema = parseSchema(declaration.schema);
  const family = new Family(declaration, schema);
  const forms = formsOf(family);
  const op = define(declaration, { [declaration.schema]: forms.apply }, fastEntry(family));
  if (declaration.inplace !== false && op.method) {
    const text = declaration.schema
      .replace(schema.name, `${schema.name}_`)
      .replace(/Tensor(\|Scalar)? self/, 'Tensor(a!) self')
      .replace(/-> Tensor$/, '-> Tensor(a!)');
    define(
      { doc: `In-place form of \`${schema.name}\`.`, method: true, function: INPLACE_FUNCTIONS.has(schema.name) },
      { [text]: forms.inplace },
    );
  }
  return op;
}

/** `torch.add(1, 2)`: the first number as a tensor. */
function onlyNumbers(family: Family, values: unknown[]): Tensor {
  const call = family.sort([tensorFromData(values[0], null, backendOf(null)), ...values.slice(1)]);
  family.check(values, call, false);
  return applyGeneral(call.op, call.inputs, orNull(call.scalars), orNull(call.promoting));
}

/** The hot path for `f(x)` and `f(x, y)`, y a tensor or number; everything else is bound in general. */
function fastEntry(family: Family): OpEntry | undefined {
  const { params } = family.schema;
  const op = family.plain;
  const unary = op.arity === 1 && params.slice(1).every((p) => p.hasDefault);
  const binary = op.arity === 2 && params.slice(2).every((p) => p.hasDefault);
  if (!params[0].type.startsWith('Tensor') || op.masks !== 0 || !(unary || binary)) return undefined;
  if (unary) {
    if (family.declaration.prepare !== undefined) return undefined;
    return {
      method: (general) =>
        function (this: Tensor, ...args: unknown[]) {
          if (args.length > 0 || !family.accepts(this)) return general(this, args);
          return entry.settler === null ? applyUnary(op, this) : recorded(applyUnary, op, this);
        },
      function:
        (general) =>
        (...args: unknown[]) => {
          const x = args[0];
          if (args.length !== 1 || !(x instanceof Tensor && family.accepts(x))) return general(args);
          return entry.settler === null ? applyUnary(op, x) : recorded(applyUnary, op, x);
        },
    };
  }
  const numbers = family.numberForm();
  const both = (a: Tensor, b: Tensor): Tensor =>
    entry.settler === null ? applyBinary(op, a, b, family) : recorded(applyBinary, op, a, b, family);
  return {
    method: (general) =>
      function (this: Tensor, other: unknown, ...rest: unknown[]) {
        if (rest.length === 0 && family.accepts(this)) {
          if (other instanceof Tensor) return both(this, other);
          if (numbers !== null && typeof other === 'number' && this.dtype.is_floating_point) {
            return entry.settler === null
              ? applyNumber(numbers, this, other)
              : recorded(applyNumber, numbers, this, other);
          }
        }
        return general(this, [other, ...rest]);
      },
    function:
      (general) =>
      (self: unknown, other: unknown, ...rest: unknown[]) => {
        if (rest.length === 0 && self instanceof Tensor && other instanceof Tensor && family.accepts(self)) {
          return both(self, other);
        }
        return general([self, other, ...rest]);
      },
  };
}
