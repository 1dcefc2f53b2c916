import { describe, expect, it } from 'vitest';
import { identifierParts } from './identifiers';

const codeIn = (text: string, service: string | null = null) =>
  identifierParts(text, service).flatMap((part) => (part.isCode ? [part.text] : []));

describe('identifiers in a sentence', () => {
  it('are services, commits and Go names', () => {
    expect(codeIn('Deployment a9e11b4 of querier is slower', 'querier')).toEqual([
      'a9e11b4',
      'querier',
    ]);
    expect(codeIn('attributed to wire.(*Label).unmarshal and main.tick')).toEqual([
      'wire.(*Label).unmarshal',
      'main.tick',
    ]);
  });

  it('are neither numbers, nor versions, nor parts of words', () => {
    expect(codeIn('Go 1.26.3 takes 1234567 ns. Decoded', 'code')).toEqual([]);
    expect(codeIn('a+b is slow', 'a+b')).toEqual(['a+b']);
  });

  it('leave the text as it was', () => {
    const text = 'x: wire.Decode of <b>shop</b>';
    expect(
      identifierParts(text, 'shop')
        .map((part) => part.text)
        .join(''),
    ).toBe(text);
  });
});
