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

interface Parsed {
  readonly parameters: readonly Parameter[];
  /** How many may be given by position. */
  readonly positional: number;
  /** What Python counts besides: `self`. */
  readonly self: number;
}

export class Signature {
  /** `Linear.__init__` */
  readonly name: string;
  /** Made by the first call: hundreds are declared, and a program calls few of them. */
  private parsed: Parsed | null = null;

  private constructor(private readonly text: string) {
    this.name = text.slice(0, text.indexOf('('));
  }

  /** `Linear.__init__(self, in_features, out_features, bias=True, *, device=None)`. */
  static of(text: string): Signature {
    return new Signature(text);
  }

  /** The values in the order of the parameters. */
  bind(args: readonly unknown[]): unknown[] {
    const { parameters, positional } = (this.parsed ??= parseSignature(this.text));
    let given = args.length;
    let options: Record<string, unknown> | null = null;
    if (given > 0 && isOptions(args[given - 1])) options = args[--given] as Record<string, unknown>;
    while (given > 0 && args[given - 1] === undefined) given--;
    if (given > positional) throw new TypeError(tooMany(this.name, this.parsed, given));
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
}

function parseSignature(text: string): Parsed {
  const [, list] = /^[\w.]+\((.*)\)$/.exec(text)!;
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
  return { parameters, positional: positional < 0 ? parameters.length : positional, self };
}

function tooMany(name: string, { parameters, positional, self }: Parsed, given: number): string {
  const required = parameters.filter((p, i) => i < positional && !p.optional).length + self;
  const most = positional + self;
  const takes = required === most ? String(most) : `from ${required} to ${most}`;
  return `${name}() takes ${takes} positional argument${most === 1 ? '' : 's'} but ${given + self} ${given + self === 1 ? 'was' : 'were'} given`;
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
