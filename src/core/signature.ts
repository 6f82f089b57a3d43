/**
 * Python call signatures for what is not an op: autograd's entry points, constructors and methods of modules, optimizers and data
 * loaders. A
 * call's arguments, positional with an options object in last place, are bound to the parameters in order; what does
 * not fit is Python's TypeError.
 */

/** A plain object in last place is the options object (Python's keyword arguments). */
export function isOptions(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

interface Parameter {
  readonly name: string;
  readonly optional: boolean;
  readonly default: unknown;
}

export class Signature {
  private constructor(
    /** `Linear.__init__` */
    readonly name: string,
    private readonly parameters: readonly Parameter[],
    /** How many may be given by position. */
    private readonly positional: number,
    /** What Python counts besides: `self`. */
    private readonly self: number,
  ) {}

  /** `Linear.__init__(self, in_features, out_features, bias=True, *, device=None)`. */
  static of(text: string): Signature {
    const [, name, list] = /^([\w.]+)\((.*)\)$/.exec(text)!;
    const parameters: Parameter[] = [];
    let positional = -1;
    let self = 0;
    for (const part of list.split(', ')) {
      if (part === '') continue;
      if (part === 'self') self = 1;
      else if (part === '*') positional = parameters.length;
      else {
        const [parameter, value] = part.split('=');
        parameters.push({ name: parameter, optional: value !== undefined, default: parse(value) });
      }
    }
    return new Signature(name, parameters, positional < 0 ? parameters.length : positional, self);
  }

  /** The values in the order of the parameters. */
  bind(args: readonly unknown[]): unknown[] {
    const { parameters } = this;
    let given = args.length;
    let options: Record<string, unknown> | null = null;
    if (given > 0 && isOptions(args[given - 1])) options = args[--given] as Record<string, unknown>;
    while (given > 0 && args[given - 1] === undefined) given--;
    if (given > this.positional) throw new TypeError(this.tooMany(given));
    const values: unknown[] = new Array(parameters.length);
    for (let i = 0; i < given; i++) values[i] = args[i];
    if (options !== null) {
      for (const key in options) {
        if (options[key] === undefined) continue;
        const at = parameters.findIndex((p) => p.name === key);
        if (at < 0) throw new TypeError(`${this.name}() got an unexpected keyword argument '${key}'`);
        if (values[at] !== undefined) throw new TypeError(`${this.name}() got multiple values for argument '${key}'`);
        values[at] = options[key];
      }
    }
    const missing: string[] = [];
    for (let i = 0; i < parameters.length; i++) {
      if (values[i] !== undefined) continue;
      if (parameters[i].optional) values[i] = parameters[i].default;
      else missing.push(`'${parameters[i].name}'`);
    }
    if (missing.length > 0) throw new TypeError(missingText(this.name, missing));
    return values;
  }

  private tooMany(given: number): string {
    const required = this.parameters.filter((p, i) => i < this.positional && !p.optional).length + this.self;
    const most = this.positional + this.self;
    const takes = required === most ? String(most) : `from ${required} to ${most}`;
    return `${this.name}() takes ${takes} positional argument${most === 1 ? '' : 's'} but ${given + this.self} ${given + this.self === 1 ? 'was' : 'were'} given`;
  }
}

/** Python's error for arguments that were left out. `names` are quoted. */
export function missingText(name: string, names: readonly string[]): string {
  const { length } = names;
  const list = length < 3 ? names.join(' and ') : `${names.slice(0, -1).join(', ')}, and ${names[length - 1]}`;
  return `${name}() missing ${length} required positional argument${length === 1 ? '' : 's'}: ${list}`;
}

function parse(text: string | undefined): unknown {
  if (text === undefined || text === 'None') return null;
  if (text === 'True') return true;
  if (text === 'False') return false;
  return text.startsWith("'") ? text.slice(1, -1) : Number(text);
}
