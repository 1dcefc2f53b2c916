// Writes pprof files, so that a journey can use any text as a name. Field numbers are those of
// profile.proto.
import { gzipSync } from 'node:zlib';

/** One stack, with the leaf first, and the number of its samples. */
export type Stack = {
  frames: { name: string; file?: string }[];
  samples: number;
  /** Labels of these samples. */
  labels?: Record<string, string>;
};

const PERIOD_NS = 10_000_000;

type Times = { durationNs?: number; timeNs?: bigint };
type Kind = {
  types: [type: string, unit: string][];
  period: number;
  values: (samples: number) => number[];
};

const CPU: Kind = {
  types: [
    ['samples', 'count'],
    ['cpu', 'nanoseconds'],
  ],
  period: PERIOD_NS,
  values: (samples) => [samples, samples * PERIOD_NS],
};
const GOROUTINE: Kind = {
  types: [['goroutine', 'count']],
  period: 1,
  values: (samples) => [samples],
};

/** Returns a gzipped CPU profile of these stacks, as Go writes it. */
export function cpuProfile(stacks: Stack[], times: Times = {}): Buffer {
  return profile(CPU, stacks, times);
}

/** Returns a goroutine profile; the samples of a stack are its goroutines. */
export function goroutineProfile(stacks: Stack[]): Buffer {
  return profile(GOROUTINE, stacks, { durationNs: 0 });
}

function profile(
  kind: Kind,
  stacks: Stack[],
  { durationNs = 10_000_000_000, timeNs = 1_700_000_000_000_000_000n }: Times,
): Buffer {
  const strings = new Map<string, number>([['', 0]]);
  const text = (value: string) => {
    const known = strings.get(value) ?? strings.size;
    strings.set(value, known);
    return known;
  };
  const functions = new Map<string, number>();
  const tables: Buffer[] = [];
  const idOf = (name: string, file: string) => {
    const key = `${name}\u0001${file}`;
    const known = functions.get(key);
    if (known !== undefined) return known;
    const id = functions.size + 1;
    functions.set(key, id);
    tables.push(message(5, [number(1, id), number(2, text(name)), number(4, text(file))]));
    tables.push(
      message(4, [
        number(1, id),
        number(3, 0x1000 + id),
        message(4, [number(1, id), number(2, 7)]),
      ]),
    );
    return id;
  };
  const valueType = (field: number, type: string, unit: string) =>
    message(field, [number(1, text(type)), number(2, text(unit))]);
  const types = kind.types.map(([type, unit]) => valueType(1, type, unit));
  const [type, unit] = kind.types.at(-1) ?? ['', ''];
  const period = valueType(11, type, unit);
  const samples = stacks.map(({ frames, samples: count, labels = {} }) =>
    message(2, [
      packed(
        1,
        frames.map(({ name, file = 'main.go' }) => idOf(name, file)),
      ),
      packed(2, kind.values(count)),
      ...Object.entries(labels).map(([key, value]) =>
        message(3, [number(1, text(key)), number(2, text(value))]),
      ),
    ]),
  );
  const texts = [...strings.keys()].map((value) => bytes(6, Buffer.from(value, 'utf8')));
  return gzipSync(
    Buffer.concat([
      ...types,
      ...samples,
      ...tables,
      ...texts,
      number(9, timeNs),
      number(10, durationNs),
      period,
      number(12, kind.period),
    ]),
  );
}

function varint(value: number | bigint): Buffer {
  const out: number[] = [];
  let rest = BigInt(value);
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    out.push(rest > 0n ? low | 0x80 : low);
  } while (rest > 0n);
  return Buffer.from(out);
}

const number = (field: number, value: number | bigint) =>
  Buffer.concat([varint(field << 3), varint(value)]);
const bytes = (field: number, content: Buffer) =>
  Buffer.concat([varint((field << 3) | 2), varint(content.length), content]);
const message = (field: number, parts: Buffer[]) => bytes(field, Buffer.concat(parts));
const packed = (field: number, values: number[]) => bytes(field, Buffer.concat(values.map(varint)));
