/**
 * Names as bytes with offsets, decoded only when they are read: a diff of 500,000 frames has tens
 * of thousands of names, and a screen shows a few hundred. Tables of two parts of a diff can be
 * joined; equal names then have one id.
 */
import type { ColumnFile } from '../format/column-file';
import { ColumnError } from '../format/column-file';

export class NameTable {
  readonly offsets: Uint32Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly #decoded: (string | undefined)[] = [];

  /** @param offsets n + 1 ascending positions in `bytes`, which {@link readNames} has checked */
  constructor(offsets: Uint32Array<ArrayBuffer>, bytes: Uint8Array<ArrayBuffer>) {
    this.offsets = offsets;
    this.bytes = bytes;
  }

  get count(): number {
    return this.offsets.length - 1;
  }

  /** Returns the name with an id; `''` for an id that is not in the table. */
  text(id: number): string {
    const known = this.#decoded[id];
    if (known !== undefined) return known;
    if (id < 0 || id >= this.count) return '';
    const text = DECODER.decode(this.bytes.subarray(this.offsets[id], this.offsets[id + 1]));
    this.#decoded[id] = text;
    return text;
  }

  /** Returns the id of a name, or -1. Reads the bytes of all names, so do not call it in loops. */
  find(name: string): number {
    const wanted = new TextEncoder().encode(name);
    for (let id = 0; id < this.count; id++) {
      const from = this.offsets[id]!;
      if (this.offsets[id + 1]! - from !== wanted.length) continue;
      let same = 0;
      while (same < wanted.length && this.bytes[from + same] === wanted[same]) same++;
      if (same === wanted.length) return id;
    }
    return -1;
  }
}

const DECODER = new TextDecoder('utf-8');

/**
 * Reads the string table of a column file (`strings_offset`, `strings_bytes`).
 * @throws ColumnError `bad-strings` if offsets descend or exceed the bytes
 */
export function readNames(file: ColumnFile): NameTable {
  const offsets = file.column('strings_offset', 'u32');
  const bytes = file.column('strings_bytes', 'u8');
  if (offsets.length === 0) throw new ColumnError('bad-strings', 'The string table has no offsets');
  let last = 0;
  for (const offset of offsets) {
    if (offset < last) throw new ColumnError('bad-strings', 'String offsets descend', last, offset);
    last = offset;
  }
  if (last > bytes.length)
    throw new ColumnError('bad-strings', 'A string reaches beyond the table', bytes.length, last);
  return new NameTable(offsets, bytes);
}

/** Finds equal byte strings with open addressing over the joined table and FNV-1a hashes. */
class Interner {
  readonly #slots: Uint32Array;
  readonly #mask: number;
  readonly offsets: Uint32Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
  count = 0;

  constructor(names: number, bytes: number) {
    let capacity = 16;
    while (capacity < names * 2) capacity *= 2;
    this.#slots = new Uint32Array(capacity);
    this.#mask = capacity - 1;
    this.offsets = new Uint32Array(names + 1);
    this.bytes = new Uint8Array(bytes);
  }

  add(from: Uint8Array, start: number, end: number): number {
    let hash = 0x811c9dc5;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ from[at]!, 0x01000193);
    for (let slot = (hash ^ (hash >>> 15)) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const taken = this.#slots[slot]!;
      if (taken === 0) {
        this.#slots[slot] = this.count + 1;
        return this.#append(from, start, end);
      }
      if (this.#equal(taken - 1, from, start, end)) return taken - 1;
    }
  }

  #append(from: Uint8Array, start: number, end: number): number {
    const at = this.offsets[this.count]!;
    this.bytes.set(from.subarray(start, end), at);
    this.offsets[this.count + 1] = at + end - start;
    return this.count++;
  }

  #equal(id: number, from: Uint8Array, start: number, end: number): boolean {
    const at = this.offsets[id]!;
    if (this.offsets[id + 1]! - at !== end - start) return false;
    for (let step = 0; step < end - start; step++)
      if (this.bytes[at + step] !== from[start + step]) return false;
    return true;
  }
}

type JoinedNames = { names: NameTable; renumbered: Uint32Array<ArrayBuffer>[] };

/**
 * Joins tables into one without duplicates.
 * @returns the table, and for each given table the new id of each of its names
 */
export function joinNames(tables: readonly NameTable[]): JoinedNames {
  let names = 0;
  let bytes = 0;
  for (const table of tables) {
    names += table.count;
    bytes += table.offsets[table.count]! - table.offsets[0]!;
  }
  const interner = new Interner(names, bytes);
  const renumbered = tables.map((table) => {
    const numbers = new Uint32Array(table.count);
    for (let id = 0; id < table.count; id++) {
      numbers[id] = interner.add(table.bytes, table.offsets[id]!, table.offsets[id + 1]!);
    }
    return numbers;
  });
  const offsets = interner.offsets.slice(0, interner.count + 1);
  return {
    names: new NameTable(offsets, interner.bytes.slice(0, offsets[interner.count])),
    renumbered,
  };
}
