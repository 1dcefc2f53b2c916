/** Writes column files as the workers do, so that tests can draw their data instead of storing it. */
type Column = Uint8Array | Uint32Array | Float32Array | Float64Array;

const TYPES = new Map<unknown, string>([
  [Uint8Array, 'u8'],
  [Uint32Array, 'u32'],
  [Float32Array, 'f32'],
  [Float64Array, 'f64'],
]);

const upTo8 = (size: number): number => Math.ceil(size / 8) * 8;

function columnFile(header: Record<string, unknown>, columns: Record<string, Column>): ArrayBuffer {
  let offset = 0;
  const entries = Object.entries(columns).map(([name, column]) => {
    const described = { name, type: TYPES.get(column.constructor), offset, length: column.length };
    offset = upTo8(offset + column.byteLength);
    return described;
  });
  const text = new TextEncoder().encode(JSON.stringify({ ...header, columns: entries }));
  const headerSize = upTo8(text.length);
  const file = new Uint8Array(16 + headerSize + offset);
  file.set(new TextEncoder().encode('slowcol1'));
  new DataView(file.buffer).setUint32(8, headerSize, true);
  file.fill(0x20, 16, 16 + headerSize);
  file.set(text, 16);
  Object.values(columns).forEach((column, index) => {
    file.set(
      new Uint8Array(column.buffer, column.byteOffset, column.byteLength),
      16 + headerSize + (entries[index]?.offset ?? 0),
    );
  });
  return file.buffer;
}

function strings(texts: string[]): {
  strings_offset: Uint32Array;
  strings_bytes: Uint8Array;
} {
  const encoded = texts.map((text) => new TextEncoder().encode(text));
  const offsets = new Uint32Array(texts.length + 1);
  encoded.forEach((bytes, index) => {
    offsets[index + 1] = (offsets[index] ?? 0) + bytes.length;
  });
  return {
    strings_offset: offsets,
    strings_bytes: Uint8Array.from(encoded.flatMap((bytes) => [...bytes])),
  };
}

type FunctionDrawn = {
  name: string;
  base: number;
  candidate: number;
  state: number;
  low?: number;
  high?: number;
  q?: number;
};

/** A function table under the normalizations "share" and "per_second"; values are nanoseconds over one second a side. */
export function functionsFile(rows: FunctionDrawn[]): ArrayBuffer {
  const total = (side: 'base' | 'candidate') => Math.max(...rows.map((row) => row[side]));
  const normalizations = [
    {
      id: 'share',
      unit: 'share',
      base_scale: 1 / total('base'),
      candidate_scale: 1 / total('candidate'),
    },
    { id: 'per_second', unit: 's/s', base_scale: 1e-9, candidate_scale: 1e-9 },
  ];
  const judged = Object.fromEntries(
    normalizations.flatMap(({ id }) => [
      [`low_${id}`, Float32Array.from(rows, ({ low = NaN }) => low)],
      [`high_${id}`, Float32Array.from(rows, ({ high = NaN }) => high)],
      [`q_${id}`, Float32Array.from(rows, ({ q = 0 }) => q)],
      [`state_${id}`, Uint8Array.from(rows, ({ state }) => state)],
      [`self_low_${id}`, new Float32Array(rows.length)],
      [`self_high_${id}`, new Float32Array(rows.length)],
      [`self_state_${id}`, new Uint8Array(rows.length)],
    ]),
  ) as Record<string, Column>;
  return columnFile(
    {
      format: 'slowpath.functions',
      format_version: 1,
      kind: 'cpu',
      sample_type: { type: 'cpu', unit: 'nanoseconds' },
      granularity: 'function',
      part: 'all',
      nodes_total: rows.length,
      nodes_sent: rows.length,
      normalizations,
      default_normalization: 'per_second',
      categories: ['app'],
      base: { label: 'base', artifacts: 2, total_raw: total('base') },
      candidate: { label: 'candidate', artifacts: 2, total_raw: total('candidate') },
    },
    {
      name: Uint32Array.from(rows, (_, index) => index + 1),
      file: new Uint32Array(rows.length),
      category: new Uint8Array(rows.length),
      base_self: Float64Array.from(rows, ({ base }) => base),
      base_total: Float64Array.from(rows, ({ base }) => base),
      candidate_self: Float64Array.from(rows, ({ candidate }) => candidate),
      candidate_total: Float64Array.from(rows, ({ candidate }) => candidate),
      ...judged,
      ...strings(['', ...rows.map(({ name }) => name)]),
    },
  );
}
