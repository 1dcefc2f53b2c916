import { describe, expect, test } from 'vitest';
import { createSeededRandom } from '../../testing/seeded-random';
import { stringColumns, writeColumns } from '../../testing/column-writer';
import {
  columnsOf,
  drawnTree,
  randomTree,
  writePart,
  writeParts,
  writeWhole,
} from '../../testing/diff-fixtures';
import { ColumnError, ColumnFile } from './column-file';
import { readDiffPart } from '../flame/diff-part';
import { mergePart, openTree } from '../flame/diff-tree';
import { readFunctions } from '../flame/function-table';
import { NameTable, joinNames, readNames } from '../flame/name-table';

const HEADER = { format: 'slowpath.test', format_version: 1 };

function problem(run: () => unknown): string {
  try {
    run();
  } catch (cause) {
    if (cause instanceof ColumnError) return cause.problem;
    throw cause;
  }
  return 'none';
}

describe('ColumnFile', () => {
  test('reads written columns without copying them', () => {
    const buffer = writeColumns(HEADER, {
      a: Uint32Array.of(1, 2, 3),
      b: Float64Array.of(0.5),
      c: new Uint8Array(3),
    });
    const file = new ColumnFile(buffer, 'slowpath.test');
    expect([...file.column('a', 'u32')]).toEqual([1, 2, 3]);
    expect([...file.column('b', 'f64', 1)]).toEqual([0.5]);
    expect(file.column('a', 'u32').buffer).toBe(buffer);
  });

  const good = (): ArrayBuffer => writeColumns(HEADER, { a: Uint32Array.of(1, 2, 3) });
  const column = (change: Record<string, unknown>): ArrayBuffer => {
    const header = {
      ...HEADER,
      columns: [{ name: 'a', type: 'u32', offset: 0, length: 3, ...change }],
    };
    const text = new TextEncoder().encode(JSON.stringify(header).padEnd(160));
    const bytes = new Uint8Array(16 + 160 + 16);
    bytes.set(new TextEncoder().encode('slowcol1'));
    new DataView(bytes.buffer).setUint32(8, 160, true);
    bytes.set(text, 16);
    return bytes.buffer;
  };

  test.each([
    ['not-columns', () => new ColumnFile(new ArrayBuffer(4), 'x')],
    ['not-columns', () => new ColumnFile(new ArrayBuffer(64), 'x')],
    ['unknown-format', () => new ColumnFile(good(), 'slowpath.other')],
    [
      'unknown-version',
      () => new ColumnFile(writeColumns({ ...HEADER, format_version: 2 }, {}), 'slowpath.test'),
    ],
    ['missing-column', () => new ColumnFile(good(), 'slowpath.test').column('z', 'u32')],
    ['bad-column', () => new ColumnFile(good(), 'slowpath.test').column('a', 'f64')],
    ['bad-column', () => new ColumnFile(good(), 'slowpath.test').column('a', 'u32', 4)],
    ['out-of-file', () => new ColumnFile(column({ length: 5 }), 'slowpath.test')],
    [
      'out-of-file',
      () => new ColumnFile(column({ length: Number.MAX_SAFE_INTEGER }), 'slowpath.test'),
    ],
    ['misaligned', () => new ColumnFile(column({ offset: 4, length: 1 }), 'slowpath.test')],
    ['bad-column', () => new ColumnFile(column({ type: 'toString' }), 'slowpath.test')],
    ['bad-header', () => new ColumnFile(column({ offset: -8 }), 'slowpath.test')],
    [
      'bad-strings',
      () =>
        readNames(
          new ColumnFile(
            writeColumns(HEADER, {
              strings_offset: Uint32Array.of(0, 9),
              strings_bytes: new Uint8Array(4),
            }),
            'slowpath.test',
          ),
        ),
    ],
    [
      'bad-strings',
      () =>
        readNames(
          new ColumnFile(
            writeColumns(HEADER, {
              strings_offset: Uint32Array.of(3, 1),
              strings_bytes: new Uint8Array(4),
            }),
            'slowpath.test',
          ),
        ),
    ],
  ])('rejects invalid data with %s', (expected, open) => expect(problem(open)).toBe(expected));

  test('rejects a file that is truncated anywhere with a ColumnError', () => {
    const whole = writeWhole(randomTree(20, 1));
    for (let length = 0; length < whole.byteLength - 8; length += 7) {
      expect(problem(() => openTree(readDiffPart(whole.slice(0, length))))).not.toBe('none');
    }
  });

  test('opens or rejects a file with random bytes and never throws another error', () => {
    const random = createSeededRandom(5);
    for (let round = 0; round < 400; round++) {
      const bytes = new Uint8Array(writeWhole(randomTree(12, 2)));
      for (let hit = 0; hit < 3; hit++)
        bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
      problem(() => openTree(readDiffPart(bytes.buffer)));
      problem(() => readFunctions(bytes.buffer));
    }
  });
});

describe('joinNames', () => {
  const table = (names: string[]): NameTable => {
    const { strings_offset, strings_bytes } = stringColumns(names);
    return new NameTable(
      strings_offset as Uint32Array<ArrayBuffer>,
      strings_bytes as Uint8Array<ArrayBuffer>,
    );
  };
  test('merges two name tables without duplicates', () => {
    const { names, renumbered } = joinNames([table(['', 'a', 'ä']), table(['', 'b', 'a'])]);
    expect(Array.from({ length: names.count }, (_, id) => names.text(id))).toEqual([
      '',
      'a',
      'ä',
      'b',
    ]);
    expect(renumbered.map((numbers) => [...numbers])).toEqual([
      [0, 1, 2],
      [0, 3, 1],
    ]);
    expect([names.find('ä'), names.find('x')]).toEqual([2, -1]);
  });
});

describe('diff tree', () => {
  const flat = (tree: ReturnType<typeof openTree>) => ({
    ids: [...tree.rows.nodeId],
    names: [...tree.rows.name].map((name) => tree.names.text(name)),
    parent: [...tree.parent],
    end: [...tree.end],
    hidden: tree.hiddenTotal,
    totals: [...tree.rows.baseTotal],
  });

  test.each([1, 2, 3, 4])('merged from two parts equals the whole (seed %i)', (seed) => {
    const columns = randomTree(1500, seed);
    const { first, rest } = writeParts(columns, 200);
    expect(flat(mergePart(openTree(readDiffPart(first)), readDiffPart(rest)))).toEqual(
      flat(openTree(readDiffPart(writeWhole(columns)))),
    );
  });

  test('keeps the exact cost and number of nodes that were not sent', () => {
    const columns = randomTree(1500, 8);
    const tree = openTree(readDiffPart(writeParts(columns, 100).first));
    let base = 0;
    for (let row = 0; row < tree.count; row++)
      base += tree.rows.baseSelf[row]! + tree.hiddenBase[row]!;
    expect(base).toBe(columns.baseTotal[0]);
    expect(tree.hiddenTotal).toBe(1400);
  });

  test('does not duplicate nodes when a part is merged twice', () => {
    const whole = readDiffPart(writeWhole(randomTree(300, 4)));
    const tree = openTree(whole);
    expect(flat(mergePart(tree, whole))).toEqual(flat(tree));
  });

  test('rejects a part of another diff', () => {
    const part = readDiffPart(writeWhole(randomTree(60, 3)));
    const merged = (changed: Partial<typeof part.header>) =>
      problem(() => mergePart(openTree(part), { ...part, header: { ...part.header, ...changed } }));
    expect(merged({})).toBe('none');
    expect(merged({ categories: ['other'] })).toBe('bad-tree');
    expect(merged({ normalizations: part.header.normalizations.slice(1) })).toBe('bad-tree');
  });

  test('rejects a rest without a first part, orphans, and nodes with more children than declared', () => {
    const columns = randomTree(60, 3);
    expect(
      problem(() => openTree(readDiffPart(writePart(columns, Uint32Array.of(1, 2), 'rest')))),
    ).toBe('bad-tree');
    const leaf = columns.size.findIndex((size, id) => size === 1 && id > 5);
    const orphan = columns.parent.findIndex(
      (parent, id) => parent > 0 && id !== leaf && parent < 0xffffffff,
    );
    expect(
      problem(() => openTree(readDiffPart(writePart(columns, Uint32Array.of(0, orphan), 'first')))),
    ).toBe('bad-tree');
    columns.size[0] = 2;
    expect(problem(() => openTree(readDiffPart(writeWhole(columns))))).toBe('bad-tree');
  });

  test('keeps the ids, names, parents, depths and totals of a file', () => {
    const columns = columnsOf(drawnTree('a 1 2\n  b 3 4 1 r\nc 5 6'));
    const tree = openTree(readDiffPart(writeWhole(columns)));
    expect(flat(tree)).toEqual({
      ids: [0, 1, 2, 3],
      names: ['all', 'a', 'b', 'c'],
      parent: [0xffffffff, 0, 1, 0],
      end: [4, 3, 3, 4],
      hidden: 0,
      totals: [9, 4, 3, 5],
    });
    expect([...tree.depth]).toEqual([0, 1, 2, 1]);
  });
});
