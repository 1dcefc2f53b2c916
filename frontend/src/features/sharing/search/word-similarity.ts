/** Similarity of words by their trigrams, as the search of objects computes it. */

/**
 * The lowest share of a word's trigrams that a name must have; it is higher if one letter is
 * missing, added or replaced.
 */
const LEAST_SIMILARITY = 0.4;
/** Shorter words have too few trigrams to be compared. */
const LEAST_COMPARED_LENGTH = 4;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

function trigrams(word: string): Set<string> {
  const padded = `  ${word} `;
  return new Set(Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3)));
}

function similarity(word: string, other: string): number {
  const [wanted, present] = [trigrams(word), trigrams(other)];
  return [...wanted].filter((trigram) => present.has(trigram)).length / wanted.size;
}

/**
 * Returns how similar a name is to a text, from 0 to 1. Each word of the text is compared with the
 * word of the name that is the most similar to it, and the lowest of these similarities counts. It
 * is 0 if a word of the text is not similar to any, or is too short to be compared and not in the
 * name.
 */
export function textSimilarity(text: string, name: string): number {
  const names = wordsOf(name);
  const shares = wordsOf(text).map((word) => {
    if (names.some((other) => other.includes(word))) return 1;
    if (word.length < LEAST_COMPARED_LENGTH) return 0;
    const best = Math.max(0, ...names.map((other) => similarity(word, other)));
    return best >= LEAST_SIMILARITY ? best : 0;
  });
  return shares.length === 0 ? 0 : Math.min(...shares);
}
