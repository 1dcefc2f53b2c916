import { describe, expect, it } from 'vitest';
import { linesOf } from './diff-rows';
import { fileName, fileState, shareText } from './commit-wording';

describe('the lines of a hunk', () => {
  it('are numbered on the side they stand on', () => {
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

describe('a file', () => {
  const file = { binary: false, left_out: 0, hunks: [] };
  it('is called by its path, or by both', () => {
    expect(fileName({ ...file, old_path: 'a', new_path: 'a' })).toBe('a');
    expect(fileName({ ...file, old_path: 'a', new_path: 'b' })).toBe('a → b');
    expect(fileState({ ...file, old_path: 'a', new_path: 'b' })).toBe('renamed');
    expect(fileState({ ...file, old_path: null, new_path: 'b', binary: true })).toBe('new, binary');
    expect(fileState({ ...file, old_path: 'b', new_path: null })).toBe('removed');
  });
});

describe('a share of suspicion', () => {
  it('is neither nothing nor everything unless it is', () => {
    expect([0, 0.004, 0.5, 0.996, 1].map(shareText)).toEqual([
      'excluded',
      '< 1%',
      '50%',
      '> 99%',
      '100%',
    ]);
  });
});
