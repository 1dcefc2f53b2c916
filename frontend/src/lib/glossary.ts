/** Terms that pages explain: the names on the pages, and their rows in the guide's glossary. */
export const TERMS = {
  'attributed cost': { entry: 'attributed cost', section: 'go-runtime-and-pprof' },
  'stack growth': { entry: 'stack growth', section: 'go-runtime-and-pprof' },
  'scheduler latency': { entry: 'scheduler latency', section: 'go-runtime-and-pprof' },
  'confidence interval': { entry: 'confidence interval (CI)', section: 'statistics' },
  'q-value': { entry: 'p-value, q-value', section: 'statistics' },
  'minimum detectable change': { entry: 'minimum detectable effect (MDE)', section: 'statistics' },
  inconclusive: { entry: 'inconclusive', section: 'statistics' },
  tentative: { entry: 'significant / tentative', section: 'statistics' },
  'posterior probability': { entry: 'posterior probability', section: 'statistics' },
  'change point': { entry: 'change point', section: 'statistics' },
} as const;

export type TermName = keyof typeof TERMS;

/**
 * Returns the meaning of an entry in the tables of the glossary, without code marks; '' if it has
 * none.
 */
export function meaningOf(glossary: string, entry: string): string {
  for (const line of glossary.split('\n')) {
    const [, term, meaning] = line.split('|').map((cell) => cell.trim());
    if (term === entry && meaning !== undefined) return meaning.replace(/`/gu, '');
  }
  return '';
}
