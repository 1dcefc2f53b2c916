/**
 * Changes of a report's parts, in the form of the API: all parts in order, by id, with their
 * changed fields.
 */
import type { Block, BlockFields } from './report-types';

const same = (blocks: readonly Block[]): BlockFields[] => blocks.map(({ id }) => ({ id }));

export function moved(blocks: readonly Block[], from: number, to: number): BlockFields[] {
  const words = same(blocks);
  words.splice(to, 0, ...words.splice(from, 1));
  return words;
}

export function withText(blocks: readonly Block[], at: number, markdown: string): BlockFields[] {
  const words = same(blocks);
  words.splice(at, 0, { kind: 'text', markdown });
  return words;
}

export const changed = (
  blocks: readonly Block[],
  id: string,
  words: Omit<BlockFields, 'id'>,
): BlockFields[] => same(blocks).map((one) => (one.id === id ? { ...one, ...words } : one));

export const dropped = (blocks: readonly Block[], id: string): BlockFields[] =>
  same(blocks).filter((one) => one.id !== id);
