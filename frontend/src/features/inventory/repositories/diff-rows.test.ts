import { describe, expect, it } from 'vitest';
import { linesOf } from './diff-rows';
import { fileName, fileState, shareText } from './commit-wording';

describe('linesOf', () => {
  it('numbers the lines of a hunk on the sides to which they belong', () => {
    const lines = linesOf({
      old_start: 3,
      new_start: 5,
      heading: '',
      lines: [' a', '-b', '-c', '+d', ' e', ' '],
    });
    expect(lines.map(({ kind, before, after }) => [kind[0], before, after])).toEqual([
      ['s', 3, 5],
      ['r', 4, null],
      ['r', 5, null],
      ['a', null, 6],
      ['s', 6, 7],
      ['s', 7, 8],
    ]);
    expect(lines.map(({ text }) => text).join('')).toBe('abcde');
  });
});

describe('fileName and fileState', () => {
  const file = { binary: false, left_out: 0, hunks: [] };
  it('return the path of a file, or both paths, and its state', () => {
    expect(fileName({ ...file, old_path: 'a', new_path: 'a' })).toBe('a');
    expect(fileName({ ...file, old_path: 'a', new_path: 'b' })).toBe('a → b');
    expect(fileState({ ...file, old_path: 'a', new_path: 'b' })).toBe('renamed');
    expect(fileState({ ...file, old_path: null, new_path: 'b', binary: true })).toBe('new, binary');
    expect(fileState({ ...file, old_path: 'b', new_path: null })).toBe('removed');
  });
});

describe('shareText', () => {
  it('returns "excluded" and "100%" only for exactly 0 and 1', () => {
    expect([0, 0.004, 0.5, 0.996, 1].map(shareText)).toEqual([
      'excluded',
      '< 1%',
      '50%',
      '> 99%',
      '100%',
    ]);
  });
});
