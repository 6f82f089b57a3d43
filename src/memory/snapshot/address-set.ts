/**
 * A set of addresses in typed arrays: sixteen bytes for each, where a `Set` of numbers takes four times as much. Traces of
 * millions of events have millions of addresses.
 */
const EMPTY = -1;
/** So that no file can be made whose addresses all meet in one place. */
const SEED = (Math.random() * 2 ** 32) | 0;

export class AddressSet {
  size = 0;
  #slots = new Float64Array(64).fill(EMPTY);

  has(address: number): boolean {
    return this.#slots[this.#slot(address)] === address;
  }

  /** @param address 0 or more. @returns whether it was not there yet */
  add(address: number): boolean {
    const slot = this.#slot(address);
    if (this.#slots[slot] === address) return false;
    this.#slots[slot] = address;
    this.size++;
    if (this.size * 4 > this.#slots.length * 3) this.#grow();
    return true;
  }

  /** Where an address is, or would be. */
  #slot(address: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let hash = Math.imul((address | 0) ^ SEED, 0x9e3779b1) ^ Math.imul((address / 2 ** 32) | 0, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 16), 0xc2b2ae35);
    hash = Math.imul(hash ^ (hash >>> 13), 0x27d4eb2f);
    hash ^= hash >>> 16;
    let slot = hash & mask;
    while (slots[slot] !== EMPTY && slots[slot] !== address) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Float64Array(before.length * 2).fill(EMPTY);
    for (const address of before) if (address !== EMPTY) this.#slots[this.#slot(address)] = address;
  }
}
