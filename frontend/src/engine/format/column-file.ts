/**
 * Reads the columnar container "slowcol": a magic, a JSON header, then typed little-endian arrays.
 * Columns are views into the given buffer, without copies. Files are untrusted: an invalid file is
 * rejected with a `ColumnError` before any array is created. The meaning of columns is not checked.
 */

type ColumnType = 'u8' | 'u16' | 'u32' | 'i32' | 'u64' | 'i64' | 'f32' | 'f64';

type ColumnArrays = {
  u8: Uint8Array<ArrayBuffer>;
  u16: Uint16Array<ArrayBuffer>;
  u32: Uint32Array<ArrayBuffer>;
  i32: Int32Array<ArrayBuffer>;
  u64: BigUint64Array<ArrayBuffer>;
  i64: BigInt64Array<ArrayBuffer>;
  f32: Float32Array<ArrayBuffer>;
  f64: Float64Array<ArrayBuffer>;
};

const ELEMENT_BYTES: Record<ColumnType, number> = {
  u8: 1,
  u16: 2,
  u32: 4,
  i32: 4,
  u64: 8,
  i64: 8,
  f32: 4,
  f64: 8,
};
const MAGIC = 'slowcol1';
const PREFIX_BYTES = 16;
/** Our headers are below 100 kB. The limit protects JSON.parse from a very large header. */
const HEADER_MAX_BYTES = 4 << 20;

type ColumnProblem =
  | 'not-columns' // no magic, or shorter than a prefix
  | 'bad-header' // not JSON, not an object, too long, or a field of the wrong type
  | 'unknown-format'
  | 'unknown-version'
  | 'bad-column' // unknown type, twice the same name
  | 'misaligned'
  | 'out-of-file'
  | 'missing-column'
  | 'bad-strings'
  | 'bad-tree'; // parents, ids or lengths that contradict each other

/** An error in a column file; `limit` and `actual` are the numbers that differ, if any. */
export class ColumnError extends Error {
  declare protected readonly brand: true; // otherwise TypeScript accepts any object of this shape
  readonly problem: ColumnProblem;
  readonly limit: number | null;
  readonly actual: number | null;

  constructor(
    problem: ColumnProblem,
    message: string,
    limit: number | null = null,
    actual: number | null = null,
  ) {
    super(message);
    this.name = 'ColumnError';
    this.problem = problem;
    this.limit = limit;
    this.actual = actual;
  }
}

type Placed = { type: ColumnType; offset: number; length: number };

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wholeNumber(value: unknown, what: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new ColumnError('bad-header', `${what} is not a whole number`);
}

function readHeader(buffer: ArrayBuffer): { header: Record<string, unknown>; start: number } {
  if (buffer.byteLength < PREFIX_BYTES) {
    throw new ColumnError(
      'not-columns',
      'The data is shorter than its prefix',
      PREFIX_BYTES,
      buffer.byteLength,
    );
  }
  const prefix = new Uint8Array(buffer, 0, 8);
  if (String.fromCharCode(...prefix) !== MAGIC)
    throw new ColumnError('not-columns', 'The data does not begin with slowcol1');
  const length = new DataView(buffer).getUint32(8, true);
  if (length > HEADER_MAX_BYTES)
    throw new ColumnError('bad-header', 'The header is too long', HEADER_MAX_BYTES, length);
  const start = PREFIX_BYTES + length;
  if (start > buffer.byteLength) {
    throw new ColumnError(
      'out-of-file',
      'The header reaches beyond the data',
      buffer.byteLength,
      start,
    );
  }
  if (start % 8 !== 0)
    throw new ColumnError('misaligned', 'The header is not padded to eight bytes', 8, start % 8);
  let header: unknown;
  try {
    header = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(
        new Uint8Array(buffer, PREFIX_BYTES, length),
      ),
    );
  } catch (cause) {
    throw new ColumnError(
      'bad-header',
      `The header is not JSON: ${cause instanceof Error ? cause.message : 'unreadable'}`,
    );
  }
  if (!isRecord(header)) throw new ColumnError('bad-header', 'The header is not an object');
  return { header, start };
}

function placeColumns(header: Record<string, unknown>, available: number): Map<string, Placed> {
  const columns = header.columns;
  if (!Array.isArray(columns)) throw new ColumnError('bad-header', 'The header lists no columns');
  const placed = new Map<string, Placed>();
  for (const column of columns as unknown[]) {
    if (!isRecord(column) || typeof column.name !== 'string')
      throw new ColumnError('bad-header', 'A column has no name');
    const { name, type } = column;
    if (
      typeof name !== 'string' ||
      typeof type !== 'string' ||
      !Object.hasOwn(ELEMENT_BYTES, type)
    ) {
      throw new ColumnError('bad-column', `Column ${name} is of an unknown type`);
    }
    if (placed.has(name)) throw new ColumnError('bad-column', `Column ${name} is listed twice`);
    const kind = type as ColumnType;
    const offset = wholeNumber(column.offset, `The offset of ${name}`);
    const length = wholeNumber(column.length, `The length of ${name}`);
    if (offset % 8 !== 0)
      throw new ColumnError(
        'misaligned',
        `Column ${name} is not at a multiple of eight`,
        8,
        offset % 8,
      );
    const end = offset + length * ELEMENT_BYTES[kind];
    if (end > available)
      throw new ColumnError(
        'out-of-file',
        `Column ${name} reaches beyond the data`,
        available,
        end,
      );
    placed.set(name, { type: kind, offset, length });
  }
  return placed;
}

function viewOf(
  buffer: ArrayBuffer,
  start: number,
  { type, offset, length }: Placed,
): ColumnArrays[ColumnType] {
  const at = start + offset;
  switch (type) {
    case 'u8':
      return new Uint8Array(buffer, at, length);
    case 'u16':
      return new Uint16Array(buffer, at, length);
    case 'u32':
      return new Uint32Array(buffer, at, length);
    case 'i32':
      return new Int32Array(buffer, at, length);
    case 'u64':
      return new BigUint64Array(buffer, at, length);
    case 'i64':
      return new BigInt64Array(buffer, at, length);
    case 'f32':
      return new Float32Array(buffer, at, length);
    case 'f64':
      return new Float64Array(buffer, at, length);
  }
}

/** An opened column file: its header, whose fields are not checked yet, and its columns by name. */
export class ColumnFile<Header extends { format: string } = { format: string }> {
  readonly header: Readonly<Record<keyof Header, unknown>>;
  readonly #buffer: ArrayBuffer;
  readonly #start: number;
  readonly #placed: Map<string, Placed>;

  /**
   * @param format the format that the header must have; its `format_version` must be 1
   * @throws ColumnError if the data is not a complete, aligned file of that format
   */
  constructor(buffer: ArrayBuffer, format: Header['format']) {
    const { header, start } = readHeader(buffer);
    if (header.format !== format) {
      throw new ColumnError(
        'unknown-format',
        `The data is ${String(header.format)}, not ${format}`,
      );
    }
    const version = wholeNumber(header.format_version, 'format_version');
    if (version !== 1)
      throw new ColumnError(
        'unknown-version',
        `Unknown version ${version} of ${format}`,
        1,
        version,
      );
    this.header = header as Record<keyof Header, unknown>;
    this.#buffer = buffer;
    this.#start = start;
    this.#placed = placeColumns(header, buffer.byteLength - start);
  }

  has(name: string): boolean {
    return this.#placed.has(name);
  }

  /**
   * Returns a view of one column.
   * @param length if given, the required number of elements
   * @throws ColumnError if the column is missing or has another type or length
   */
  column<Type extends ColumnType>(name: string, type: Type, length?: number): ColumnArrays[Type] {
    const placed = this.#placed.get(name);
    if (placed === undefined) throw new ColumnError('missing-column', `Column ${name} is missing`);
    if (placed.type !== type)
      throw new ColumnError('bad-column', `Column ${name} is ${placed.type}, not ${type}`);
    if (length !== undefined && placed.length !== length) {
      throw new ColumnError(
        'bad-column',
        `Column ${name} has another length than its table`,
        length,
        placed.length,
      );
    }
    return viewOf(this.#buffer, this.#start, placed) as ColumnArrays[Type];
  }

  /** Returns a field of the header that must be a string. */
  text(name: keyof Header & string): string {
    const value = this.header[name];
    if (typeof value !== 'string')
      throw new ColumnError('bad-header', `The header's ${name} is not a string`);
    return value;
  }

  /** Returns a field of the header that must be a whole number. */
  whole(name: keyof Header & string): number {
    return wholeNumber(this.header[name], `The header's ${name}`);
  }
}
