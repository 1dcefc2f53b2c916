/** Full-text search over the sections of all pages of the guide. The index is built in the browser at the first search. */
import MiniSearch from 'minisearch';
import { GUIDE_PAGES, loadGuidePage, type GuideAddress } from './guide-pages';
import { plainText, splitSections } from './guide-sections';

type IndexedSection = { id: string; page: string; title: string; heading: string; text: string };

export type TextPiece = { text: string; isMatch: boolean };
export type GuideMatch = {
  id: string;
  address: GuideAddress;
  title: string;
  heading: TextPiece[];
  excerpt: TextPiece[];
};

const MAX_MATCHES = 8;
const EXCERPT_CHARACTERS = 150;

type GuideIndex = MiniSearch<IndexedSection>;

export async function buildGuideIndex(): Promise<GuideIndex> {
  const index: GuideIndex = new MiniSearch<IndexedSection>({
    fields: ['heading', 'title', 'text'],
    storeFields: ['page', 'title', 'heading', 'text'],
    searchOptions: {
      boost: { heading: 4, title: 2 },
      prefix: true,
      fuzzy: (term) => (term.length > 5 ? 0.2 : false),
      combineWith: 'AND',
    },
  });
  await Promise.all(
    GUIDE_PAGES.map(async ({ page, title }) => {
      const sections = splitSections((await loadGuidePage(page)) ?? '');
      index.addAll(
        sections.map(({ heading, text }) => ({
          id: heading.level === 1 ? page : `${page}#${heading.anchor}`,
          page,
          title,
          heading: heading.text,
          text: plainText(text),
        })),
      );
    }),
  );
  return index;
}

/** Splits a text at the words that matched. */
export function markMatches(text: string, terms: readonly string[]): TextPiece[] {
  if (terms.length === 0) return [{ text, isMatch: false }];
  const escaped = [...terms]
    .sort((a, b) => b.length - a.length)
    .map((term) => term.replace(/[.*+?^${}()|[\]\\/-]/gu, '\\$&'));
  return text
    .split(new RegExp(`(?<![\\p{L}\\p{N}])(${escaped.join('|')})`, 'giu'))
    .map((piece, at) => ({ text: piece, isMatch: at % 2 === 1 }))
    .filter((piece) => piece.text !== '');
}

/** Returns the part of a text around the first match. */
function excerptOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const found = terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0);
  const first = found.length > 0 ? Math.min(...found) : 0;
  const start = first < 50 ? 0 : text.indexOf(' ', first - 50) + 1;
  const end = start + EXCERPT_CHARACTERS;
  const cut = text.slice(start, end);
  return `${start > 0 ? '… ' : ''}${cut}${end < text.length ? ' …' : ''}`;
}

export function searchGuide(index: GuideIndex, query: string): GuideMatch[] {
  return index
    .search(query)
    .slice(0, MAX_MATCHES)
    .map(({ id, terms, ...stored }) => {
      const { page, title, heading, text } = stored as unknown as IndexedSection;
      const [, hash] = (id as string).split('#');
      return {
        id: id as string,
        address: { page, hash },
        title,
        heading: markMatches(heading, terms),
        excerpt: markMatches(excerptOf(text, terms), terms),
      };
    });
}
