import { expect, it } from 'vitest';
import { foldTypeArguments } from './compiler-wording';

it.each([
  ['main.Map[go.shape.int,go.shape.[]string]', 'main.Map[...]'],
  ['a/b.(*Set[go.shape.struct { x [3]int }]).Add.func1', 'a/b.(*Set[...]).Add.func1'],
  ['main.Map[...]', 'main.Map[...]'],
  ['main.serve', 'main.serve'],
])('foldTypeArguments formats %s as %s', (name, folded) => {
  expect(foldTypeArguments(name)).toBe(folded);
});
