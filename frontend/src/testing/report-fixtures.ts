/** Complete, plausible reports and blocks; a test sets only the fields that it is about. */
import type { Report, SnapshotBlockOut, TextBlockOut } from '../api';

const AT = '2026-11-18T14:06:00Z';

export function aReport(changed: Partial<Report> = {}): Report {
  return {
    id: 'r1',
    number: 4,
    title: 'Why stacks grow',
    state: 'draft',
    version: 0,
    blocks: [],
    created_by: { id: 'u1', name: 'Mira' },
    created_at: AT,
    updated_at: AT,
    published_at: null,
    links_count: 0,
    ...changed,
  };
}

export const aSnapshot = (changed: Partial<SnapshotBlockOut> = {}): SnapshotBlockOut => ({
  id: 'b1',
  kind: 'snapshot',
  title: 'The comparison',
  path: '/comparisons/c1',
  note: '',
  captured_at: AT,
  responses: [],
  ...changed,
});

export const aText = (changed: Partial<TextBlockOut> = {}): TextBlockOut => ({
  id: 'b2',
  kind: 'text',
  markdown: 'It is not inlined.',
  ...changed,
});
