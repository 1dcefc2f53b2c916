import { describe, expect, test } from 'vitest';
import { buildGuideIndex, markMatches, searchGuide } from './guide-search';

const index = await buildGuideIndex();
const first = (query: string) => searchGuide(index, query)[0];

describe('searchGuide', () => {
  test.each([
    ['q-value', { page: 'reading-a-result', hash: 'q-value' }],
    ['inconclusive', { page: 'reading-a-result', hash: 'inconclusive' }],
    ['kubernetes driver', { page: 'drivers', hash: 'kubernetes' }],
    ['exit codes', { page: 'ci', hash: 'exit-codes' }],
    ['glossary', { page: 'glossary', hash: undefined }],
  ])('finds %s', (query, address) => expect(first(query)?.address).toEqual(address));

  test('finds a word by its beginning and a misspelled word', () => {
    expect(first('inconcl')?.heading).toContainEqual({ text: 'Inconclusive', isMatch: true });
    expect(first('confidense interval')?.address.hash).toBe('confidence-interval');
  });

  test('marks the matches in the excerpt', () => {
    const excerpt = first('Benjamini')?.excerpt ?? [];
    expect(excerpt.filter(({ isMatch }) => isMatch).map(({ text }) => text)).toContain('Benjamini');
  });

  test('returns no results for a word that no page contains', () =>
    expect(searchGuide(index, 'zzzyx')).toEqual([]));
});

test('markMatches marks only beginnings of words', () => {
  expect(markMatches('a cat, concat', ['cat'])).toEqual([
    { text: 'a ', isMatch: false },
    { text: 'cat', isMatch: true },
    { text: ', concat', isMatch: false },
  ]);
});
