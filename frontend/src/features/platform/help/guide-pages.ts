/** The pages of the user guide: Markdown files of frontend/docs, loaded one by one when they are first shown. */

export type GuideAddress = { page: string; hash?: string };

type GuidePageEntry = { page: string; title: string };

/** The page that renders the OpenAPI document; all others are Markdown. */
export const API_REFERENCE = 'api-reference';
export const GUIDE_START = 'index';

/** The pages in reading order, grouped by task. */
export const GUIDE_GROUPS: readonly { name: string; pages: readonly GuidePageEntry[] }[] = [
  {
    name: 'First steps',
    pages: [
      { page: GUIDE_START, title: 'Slowpath user guide' },
      { page: 'getting-started', title: 'Getting started' },
      { page: 'comparing', title: 'Comparing' },
      { page: 'opening-a-profile', title: 'Opening a profile' },
      { page: 'collecting-profiles', title: 'Collecting profiles' },
      { page: 'reading-a-result', title: 'Reading a result' },
      { page: 'compiler-and-stack-growth', title: 'Compiler and stack growth' },
    ],
  },
  {
    name: 'Watch',
    pages: [
      { page: 'ci', title: 'Builds from CI' },
      { page: 'inbox', title: 'Inbox' },
      { page: 'dashboard', title: 'Dashboard' },
      { page: 'traces', title: 'Traces' },
    ],
  },
  {
    name: 'Find the commit',
    pages: [
      { page: 'bisect-and-runner', title: 'Bisect and runner' },
      { page: 'drivers', title: 'Runner drivers' },
    ],
  },
  {
    name: 'Share',
    pages: [
      { page: 'reports', title: 'Reports' },
      { page: 'notifications', title: 'Notifications' },
      { page: 'github-app', title: 'GitHub App' },
    ],
  },
  {
    name: 'Reference',
    pages: [
      { page: 'administration', title: 'Administration' },
      { page: 'capacity', title: 'Capacity' },
      { page: 'api', title: 'API' },
      { page: API_REFERENCE, title: 'API reference' },
      { page: 'mcp', title: 'MCP server' },
      { page: 'glossary', title: 'Glossary' },
    ],
  },
];

export const GUIDE_PAGES = GUIDE_GROUPS.flatMap(({ pages }) => pages);

export const titleOf = (page: string): string | undefined =>
  GUIDE_PAGES.find((entry) => entry.page === page)?.title;

const FOLDER = '../../../../docs/';
const texts = import.meta.glob<string>('../../../../docs/*.md', {
  query: '?raw',
  import: 'default',
});
const files = import.meta.glob<string>('../../../../docs/**/*.{png,svg,yml}', {
  query: '?url',
  import: 'default',
  eager: true,
});

/** The names of the Markdown files that exist. */
export const WRITTEN_PAGES = Object.keys(texts).map((path) =>
  path.slice(FOLDER.length).replace(/\.md$/u, ''),
);

/** Returns the Markdown of a page; null if the page does not exist. */
export async function loadGuidePage(page: string): Promise<string | null> {
  return (await texts[`${FOLDER}${page}.md`]?.()) ?? null;
}

/** Returns the URL of an image or another file that a page refers to. */
export const fileUrlOf = (path: string): string | undefined => files[`${FOLDER}${path}`];

/** Returns the page and heading of a link inside the guide; null for every other link. */
export function guideAddressOf(href: string, page: string): GuideAddress | null {
  const match = /^(?:([\w-]+)\.md)?(?:#(.+))?$/u.exec(href);
  if (!match || href === '') return null;
  return { page: match[1] ?? page, hash: match[2] };
}
