/**
 * Reproducible random numbers (mulberry32): the same seed gives the same numbers on every machine.
 * For tests and synthetic data; never for secrets.
 */
type RandomSource = () => number;

/** @returns a function that returns numbers in [0, 1). */
export function createSeededRandom(seed: number): RandomSource {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
