import { describe, expect, it } from 'vitest';
import { namesCommit, shortCommit } from './commits';

describe('shortCommit', () => {
  it('shortens a commit hash to ten digits', () => {
    expect(shortCommit('8d20c6e1'.repeat(5))).toBe('8d20c6e18d');
  });

  it('keeps names of releases and settings whole', () => {
    expect(shortCommit('go1.23.0')).toBe('go1.23.0');
    expect(shortCommit('GODEBUG=asynctimerchan=1')).toBe('GODEBUG=asynctimerchan=1');
    expect(shortCommit('')).toBe('');
  });
});

describe('namesCommit', () => {
  it('recognizes a commit by at least seven digits of its hash', () => {
    const commit = '8d20c6e1'.repeat(5);
    expect(namesCommit('main-8d20c6e', commit)).toBe(true);
    expect(namesCommit(`main-${shortCommit(commit)}`, commit)).toBe(true);
    expect(namesCommit('main-8d20c6', commit)).toBe(false);
  });
});
