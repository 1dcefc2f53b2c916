import { describe, expect, it } from 'vitest';
import { identifierParts } from './identifiers';

const codeIn = (text: string, service: string | null = null) =>
  identifierParts(text, service).flatMap((part) => (part.isCode ? [part.text] : []));

describe('identifierParts', () => {
  it('marks services, commits and Go names as code', () => {
    expect(codeIn('Deployment a9e11b4 of querier is slower', 'querier')).toEqual([
      'a9e11b4',
      'querier',
    ]);
    expect(codeIn('attributed to wire.(*Label).unmarshal and main.tick')).toEqual([
      'wire.(*Label).unmarshal',
      'main.tick',
    ]);
  });

  it('does not mark numbers, versions or parts of words as code', () => {
    expect(codeIn('Go 1.26.3 takes 1234567 ns. Decoded', 'code')).toEqual([]);
    expect(codeIn('a+b is slow', 'a+b')).toEqual(['a+b']);
  });

  it('keeps the text unchanged', () => {
    const text = 'x: wire.Decode of <b>shop</b>';
    expect(
      identifierParts(text, 'shop')
        .map((part) => part.text)
        .join(''),
    ).toBe(text);
  });
});
