/** The structure of a Markdown page: its headings with their anchors, and the text below each. */

export type Heading = { level: number; text: string; anchor: string };
type GuideSection = { heading: Heading; text: string };

/** Returns the anchor of a heading, as code hosts derive it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');

/** Removes the Markdown syntax of a text. */
export const plainText = (markdown: string): string =>
  markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/gu, '$1')
    .replace(/^\s*(?:```.*|\|?(?:\s*:?-{3,}:?\s*\|)+.*|[-*] |\d+\. |> )/gmu, ' ')
    .replace(/(\*\*|\b_|_\b|`|\|)/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();

/** Splits a page at its headings. Lines of code blocks that begin with # are not headings. */
export function splitSections(markdown: string): GuideSection[] {
  const sections: { heading: Heading; lines: string[] }[] = [];
  let isCode = false;
  for (const line of markdown.split('\n')) {
    if (line.trimStart().startsWith('```')) isCode = !isCode;
    const match = isCode ? null : /^(#{1,6}) +(.+?)\s*$/u.exec(line);
    if (match) {
      const text = plainText(match[2]!);
      sections.push({
        heading: { level: match[1]!.length, text, anchor: anchorOf(text) },
        lines: [],
      });
    } else sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ heading, lines }) => ({ heading, text: lines.join('\n') }));
}
