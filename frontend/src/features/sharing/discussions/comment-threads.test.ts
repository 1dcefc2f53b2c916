import { describe, expect, it } from 'vitest';
import type { PostedComment } from '../../../api';
import { aFinding } from '../../../testing/api-factories';
import { findingPart, matchMembers, insertMention, mentionAt, threadsOf } from './comment-threads';

const PEOPLE = [
  { id: 'a', name: 'Ann Lee' },
  { id: 'b', name: 'Ben de Vries' },
];

const comment = (id: string, parent_id: string | null = null) =>
  ({ id, parent_id }) as PostedComment;

describe('threadsOf', () => {
  it('orders threads by their first comment, with replies below', () => {
    const laid = threadsOf([
      comment('1'),
      comment('2'),
      comment('3', '1'),
      comment('4', '2'),
      comment('5', '1'),
    ]);
    expect(laid.map(({ first, answers }) => [first.id, answers.map(({ id }) => id)])).toEqual([
      ['1', ['3', '5']],
      ['2', ['4']],
    ]);
  });
});

describe('mentions in a comment', () => {
  it.each([
    ['@', 1, ''],
    ['hear @An', 8, 'An'],
    ['(@ben de', 8, 'ben de'],
  ])('are found in %j at position %i', (text, caret, typed) =>
    expect(mentionAt(text, caret)?.typed).toBe(typed),
  );

  it.each([
    ['mail a@b', 8],
    ['nobody', 6],
    ['@Ann\nnext', 9],
    ['`@`x', 4],
  ])('are not found in %j', (text, caret) => expect(mentionAt(text, caret)).toBeNull());

  it('match members by any word of their name', () => {
    expect(matchMembers(PEOPLE, 'VR').map(({ id }) => id)).toEqual(['b']);
    expect(matchMembers(PEOPLE, '')).toHaveLength(2);
    expect(matchMembers(PEOPLE, 'zz')).toEqual([]);
  });

  it('are inserted where they were typed', () => {
    expect(insertMention('see @an now', 4, 7, 'Ann Lee')).toEqual({
      text: 'see @Ann Lee now',
      caret: 13,
    });
  });
});

it('findingPart identifies a finding by the same key as the server', () => {
  const finding = aFinding({
    kind: 'trace.sched_delay',
    profile_kind: 'trace',
    subject: 'g|r',
    quantile: 0.99,
    normalization: 'quantile',
  });
  expect(findingPart(finding)).toBe('trace.sched_delay|trace|g|r|0.99|quantile');
  expect(findingPart({ ...finding, quantile: null })).toBe('trace.sched_delay|trace|g|r||quantile');
});
