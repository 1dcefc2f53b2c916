import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HELP_TOPICS } from '../../../ui/help-topics';
import {
  API_REFERENCE,
  GUIDE_PAGES,
  WRITTEN_PAGES,
  fileUrlOf,
  guideAddressOf,
  loadGuidePage,
} from './guide-pages';
import { anchorOf, plainText, splitSections } from './guide-sections';

const pages = GUIDE_PAGES.filter(({ page }) => page !== API_REFERENCE);
const docs = join(import.meta.dirname, '../../../../docs');
const markdownOf = (page: string) => readFileSync(join(docs, `${page}.md`), 'utf8');
const headingsOf = (page: string) => splitSections(markdownOf(page)).map(({ heading }) => heading);

describe('Guide pages', () => {
  test('are the Markdown files of frontend/docs', () =>
    expect(pages.map(({ page }) => page).sort()).toEqual([...WRITTEN_PAGES].sort()));

  test.each(pages)('$page has its title and unique anchors', ({ page, title }) => {
    const headings = headingsOf(page);
    expect(headings[0]).toMatchObject({ level: 1, text: title });
    const anchors = headings.map(({ anchor }) => anchor);
    expect(anchors.filter((anchor, at) => anchors.indexOf(anchor) !== at)).toEqual([]);
  });

  test.each(pages)('$page links only to pages, images and files that are served', ({ page }) => {
    const targets = [...markdownOf(page).matchAll(/\]\(([^)#\s]+)\)/gu)].map((match) => match[1]!);
    const missing = targets.filter(
      (target) => !/^https?:/u.test(target) && !guideAddressOf(target, page) && !fileUrlOf(target),
    );
    expect(missing).toEqual([]);
  });

  test('are loaded by name, and are null for an unknown name', async () => {
    expect(await loadGuidePage('comparing')).toBe(markdownOf('comparing'));
    expect(await loadGuidePage('../package')).toBeNull();
  });
});

test.each(Object.entries(HELP_TOPICS))('help topic %s links to an existing page', (_, { path }) => {
  const [, page = 'index', anchor] = /^\/help(?:\/([\w-]+))?(?:#(.+))?$/u.exec(path) ?? [];
  expect(pages.map((entry) => entry.page)).toContain(page);
  if (anchor) expect(headingsOf(page).map((heading) => heading.anchor)).toContain(anchor);
});

test('guideAddressOf returns an address only for links to guide pages and headings', () => {
  expect(guideAddressOf('ci.md#exit-codes', 'comparing')).toEqual({
    page: 'ci',
    hash: 'exit-codes',
  });
  expect(guideAddressOf('#export', 'comparing')).toEqual({ page: 'comparing', hash: 'export' });
  expect(guideAddressOf('https://go.dev/doc.md', 'comparing')).toBeNull();
  expect(guideAddressOf('ci/action.yml', 'ci')).toBeNull();
});

describe('Guide sections', () => {
  test('are split at headings, not at comments in code blocks', () => {
    const sections = splitSections(
      '# A `b` c\n\none\n\n```sh\n# no heading\n```\n\n## D, e\n\ntwo',
    );
    expect(sections.map(({ heading }) => heading)).toEqual([
      { level: 1, text: 'A b c', anchor: 'a-b-c' },
      { level: 2, text: 'D, e', anchor: 'd-e' },
    ]);
    expect(sections[0]?.text).toContain('# no heading');
  });

  test('have anchors in the form that code hosts use', () => {
    expect(anchorOf('What a server can make a runner do?')).toBe(
      'what-a-server-can-make-a-runner-do',
    );
  });

  test('are converted to plain text for the search', () => {
    expect(
      plainText('- a [link](x.md#y) and **bold** `code`\n\n| k | v |\n| --- | --- |\n| 1 | 2 |'),
    ).toBe('a link and bold code k v 1 2');
  });
});
