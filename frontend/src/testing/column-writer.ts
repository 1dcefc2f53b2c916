/** Writes column files, which `engine/columns` reads, for tests and benchmarks. */

type Written =
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | Int32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

function typeOf(array: Written): string {
  if (array instanceof Uint8Array) return 'u8';
  if (array instanceof Uint16Array) return 'u16';
  if (array instanceof Uint32Array) return 'u32';
  if (array instanceof Int32Array) return 'i32';
  if (array instanceof BigInt64Array) return 'i64';
  if (array instanceof BigUint64Array) return 'u64';
  return array instanceof Float32Array ? 'f32' : 'f64';
}

const aligned = (bytes: number): number => Math.ceil(bytes / 8) * 8;

/** Returns a column file. @param header everything but `columns`. */
export function writeColumns(
  header: Record<string, unknown>,
  columns: Record<string, Written>,
): ArrayBuffer {
  let offset = 0;
  const placed = Object.entries(columns).map(([name, array]) => {
    const column = { name, type: typeOf(array), offset, length: array.length };
    offset += aligned(array.byteLength);
    return column;
  });
  const text = new TextEncoder().encode(JSON.stringify({ ...header, columns: placed }));
  const headerBytes = aligned(text.length);
  const buffer = new ArrayBuffer(16 + headerBytes + offset);
  const bytes = new Uint8Array(buffer);
  bytes.set(new TextEncoder().encode('slowcol1'));
  new DataView(buffer).setUint32(8, headerBytes, true);
  bytes.fill(0x20, 16, 16 + headerBytes);
  bytes.set(text, 16);
  for (const [index, array] of Object.values(columns).entries()) {
    const at = 16 + headerBytes + (placed[index]?.offset ?? 0);
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
  }
  return buffer;
}

/** Returns the two columns of a string table. */
export function stringColumns(strings: readonly string[]): {
  strings_offset: Uint32Array;
  strings_bytes: Uint8Array;
} {
  const encoded = strings.map((text) => new TextEncoder().encode(text));
  const offsets = new Uint32Array(strings.length + 1);
  for (const [index, bytes] of encoded.entries())
    offsets[index + 1] = (offsets[index] ?? 0) + bytes.length;
  const all = new Uint8Array(offsets[strings.length] ?? 0);
  for (const [index, bytes] of encoded.entries()) all.set(bytes, offsets[index]);
  return { strings_offset: offsets, strings_bytes: all };
}
