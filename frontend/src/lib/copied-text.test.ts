import { describe, expect, it } from 'vitest';
import { formatMarkdown, formatSlack, type CopiedText } from './copied-text';

const text: CopiedText = {
  title: 'Clone [helper] | main',
  sentence: 'runtime.newstack costs ×1.32 as much <b>.',
  url: 'https://slowpath.example/t/a/comparisons/1?q=(x)',
  rows: [
    { name: 'write_batch', value: '1.2 ms → 1.6 ms', change: '×1.32 (95% CI 1.28 to 1.36)' },
    { name: 'a|b\nc', value: '3' },
  ],
  more: 2,
};

describe('copied text', () => {
  it('includes the image of a signed link in Markdown', () => {
    const image = 'https://a.example/embed/p1.svg?signature=x(1)';
    const text = formatMarkdown({
      title: 'Event [3]',
      sentence: '',
      url: 'https://a.example',
      rows: [],
      image,
    });
    expect(text).toContain('![Event \\[3\\]](https://a.example/embed/p1.svg?signature=x%281%29)');
  });

  it('contains a Markdown table and escapes markup in names', () => {
    expect(formatMarkdown(text)).toBe(
      [
        String.raw`**[Clone \[helper\] \| main](https://slowpath.example/t/a/comparisons/1?q=%28x%29)**`,
        '',
        String.raw`runtime.newstack costs ×1.32 as much \<b\>.`,
        '',
        '| | value | change |',
        '| --- | --- | --- |',
        String.raw`| write\_batch | 1.2 ms → 1.6 ms | ×1.32 (95% CI 1.28 to 1.36) |`,
        String.raw`| a\|b c | 3 |  |`,
        '',
        'and 2 more',
        '',
      ].join('\n'),
    );
  });

  it('contains a Slack link and escapes mentions and links', () => {
    expect(formatSlack({ ...text, sentence: 'for <!channel> & all' })).toBe(
      [
        '*<https://slowpath.example/t/a/comparisons/1?q=(x)|Clone [helper] / main>*',
        'for &lt;!channel&gt; &amp; all',
        '• write_batch: 1.2 ms → 1.6 ms, ×1.32 (95% CI 1.28 to 1.36)',
        '• a|b c: 3',
        'and 2 more',
        '',
      ].join('\n'),
    );
  });
});
