/**
 * The text that a page copies: a sentence, numbers with their intervals, and a link, as Markdown or
 * for Slack.
 */

/** @param change with its interval: "×1.32 (95% CI 1.28 to 1.36)". */
export type CopiedRow = { name: string; value: string; change?: string };

export type CopiedText = {
  title: string;
  sentence: string;
  url: string;
  rows: readonly CopiedRow[];
  /** The number of rows that were left out. */
  more?: number;
  /** The URL of an image that anyone can read: a signed link. */
  image?: string | undefined;
};

/** @param text null while the page has no data. */
export type CopyMenuProps = { text: () => CopiedText | null | Promise<CopiedText | null> };

/**
 * Escapes characters with a meaning in Markdown. Joins lines, because a line break would end the
 * row of a table.
 */
const markdownText = (text: string): string =>
  text.replace(/[\\`*_[\]<>|#~]/gu, String.raw`\$&`).replace(/\s+/gu, ' ');

const slackText = (text: string): string =>
  text.replace(/&/gu, '&amp;').replace(/</gu, '&lt;').replace(/>/gu, '&gt;').replace(/\s+/gu, ' ');

/** Escapes parentheses, which would end the URL of a link. */
const address = (url: string): string => url.replace(/\(/gu, '%28').replace(/\)/gu, '%29');

const moreText = ({ more = 0 }: CopiedText): string[] => (more > 0 ? [`and ${more} more`] : []);

export function formatMarkdown(text: CopiedText): string {
  const lines = [`**[${markdownText(text.title)}](${address(text.url)})**`, ''];
  if (text.sentence !== '') lines.push(markdownText(text.sentence), '');
  if (text.image !== undefined)
    lines.push(`![${markdownText(text.title)}](${address(text.image)})`, '');
  const hasChanges = text.rows.some(({ change }) => change !== undefined);
  if (text.rows.length > 0) {
    lines.push(hasChanges ? '| | value | change |' : '| | value |');
    lines.push(hasChanges ? '| --- | --- | --- |' : '| --- | --- |');
    for (const { name, value, change = '' } of text.rows) {
      const cells = hasChanges ? [name, value, change] : [name, value];
      lines.push(`| ${cells.map(markdownText).join(' | ')} |`);
    }
    lines.push(...moreText(text).map((words) => `\n${words}`), '');
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

export function formatSlack(text: CopiedText): string {
  const title = slackText(text.title).replace(/\|/gu, '/');
  const lines = [`*<${text.url.replace(/[<>|]/gu, encodeURIComponent)}|${title}>*`];
  if (text.sentence !== '') lines.push(slackText(text.sentence));
  for (const { name, value, change } of text.rows)
    lines.push(`• ${slackText([name, value].join(': '))}${change ? `, ${slackText(change)}` : ''}`);
  return `${[...lines, ...moreText(text)].join('\n')}\n`;
}
