/** Formats and parses the labels of a metric. */

export const labelsText = (labels: Record<string, string>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ');

/** Parses `code="200", path=/api` as labels; returns null if the text is invalid. */
export function labelsOf(text: string): Record<string, string> | null {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const found = parts.map((part) => /^([^=\s]+)\s*=\s*"?([^"]*)"?$/u.exec(part));
  return found.every((match) => match !== null)
    ? Object.fromEntries(found.map((match) => [match[1] ?? '', match[2] ?? '']))
    : null;
}
