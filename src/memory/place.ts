/**
 * Where in a model something is, as a path like `encoder.layers.0.weight`. It holds names alone, so that no module lives on
 * for what was allocated in it, and the text is put together only for who wants to read it.
 */
let places = 0;

export class Place {
  /** No other has the same. */
  readonly id = places++;
  private text: string | null = null;
  private below: Map<string, Place> | null = null;

  constructor(
    /** null: in no module. */
    readonly parent: Place | null,
    private readonly name: string,
  ) {}

  /** '' for no module, and for one that is not part of another. */
  get path(): string {
    return (this.text ??= this.parent === null ? '' : join(this.parent.path, this.name));
  }

  /** The place of a submodule or parameter, the same object every time. */
  child(name: string): Place {
    let place = this.below?.get(name);
    if (place === undefined) {
      place = new Place(this, name);
      (this.below ??= new Map()).set(name, place);
    }
    return place;
  }
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** In no module. */
export const NOWHERE = new Place(null, '');

/** A path for people: a number alone would be read as anything. */
export function placeName(path: string): string {
  return /[^\d.]/.test(path) ? path : `module ${path}`;
}
