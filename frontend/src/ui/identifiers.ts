/** Finds the identifiers in a sentence. */

type TextPart = { text: string; isCode: boolean };

/** Matches commits and Go names. */
const CODE =
  /\b(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b|\b[A-Za-z_][\w/-]*\.(?:\(\*?\w+\)\.)?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*/gu;

/**
 * Splits a sentence at its identifiers, which are shown in another font.
 * @param name one that the sentence may contain and that is no commit or Go name: of a service.
 */
export function identifierParts(text: string, name: string | null): TextPart[] {
  const escaped = name?.replaceAll(/[$()*+./?[\\\]^{|}-]/gu, '\\$&');
  const pattern = escaped
    ? new RegExp(`(?<![\\w-])${escaped}(?![\\w-])|${CODE.source}`, 'gu')
    : CODE;
  const parts: TextPart[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index), isCode: false });
    parts.push({ text: match[0], isCode: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), isCode: false });
  return parts;
}
