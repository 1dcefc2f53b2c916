import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { show } from '../../../testing/render';
import { aTraceDocument } from '../../../testing/trace-fixtures';
import { BlockedTime } from './BlockedTime';
import { readTraces, type BlockedRow, type TraceDocument } from './trace-types';

const aRow = (changed: Partial<BlockedRow> = {}): BlockedRow => ({
  subject: 'main.serve|sync|main.(*Ledger).Post',
  group: 'main.serve',
  reason: 'sync',
  function: 'main.(*Ledger).Post',
  base_ns: 2.04e6,
  candidate_ns: 40.2e6,
  change: { ratio: 20, low: 14, high: 28, q_value: 0.001 },
  state: 'more',
  enders: [
    { group: 'main.report', function: 'main.(*Ledger).Report', share: 0.9 },
    { group: '', function: '', share: 0.1 },
  ],
  ...changed,
});

function pair(rows: BlockedRow[] | null): TraceDocument {
  const data = readTraces(aTraceDocument());
  const blocked = rows && { is_per_request: false, rows };
  return { ...data, sides: { ...data.sides, candidate: data.sides.base }, blocked };
}

const cellsOf = (name: RegExp) =>
  within(screen.getByRole('row', { name }))
    .getAllByRole('cell')
    .map(({ textContent }) => textContent);

describe('BlockedTime', () => {
  it('shows group, reason, function, both times, verdict and what ended the blocking', () => {
    const call = aRow({
      subject: 's',
      group: 'main.store',
      reason: 'syscall exit',
      state: 'noise',
      enders: [{ group: '', function: '', share: 1 }],
    });
    const maybe = aRow({ subject: 't', group: 'main.maybe', is_tentative: true });
    show(<BlockedTime data={pair([aRow(), call, maybe])} ref={null} />);
    const [reason, place, time, , verdict, ender] = cellsOf(/main\.serve/u);
    expect([reason, place?.trim()]).toEqual(['lock', 'main.(*Ledger).Post']);
    expect(time).toContain('2.04 ms to 40.2 ms');
    expect(verdict).toBe('blocked longer');
    expect(cellsOf(/main\.maybe/u)[4]).toBe('blocked longer, tentative');
    expect(ender).toBe('main.(*Ledger).Report 90%');
    expect(cellsOf(/main\.store/u).at(-1)).toBe('–');
    expect(screen.getByRole('heading')).toHaveTextContent(
      'per second · 3 rows · base to candidate',
    );
  });

  it('shows neither a change nor a verdict for a single trace', () => {
    const data = pair([aRow({ candidate_ns: null, change: null, state: 'noise' })]);
    const one = { ...data, sides: { ...data.sides, candidate: null } };
    show(<BlockedTime data={one} ref={null} />);
    expect(screen.queryByText('Verdict')).toBeNull();
    expect(cellsOf(/main\.serve/u)[2]).toBe('2.04 ms');
  });

  it('shows the first eight rows, and all rows on request', async () => {
    const rows = Array.from({ length: 12 }, (_, at) =>
      aRow({ subject: `s${at}`, group: `main.g${at}` }),
    );
    show(<BlockedTime data={pair(rows)} ref={null} />);
    expect(screen.queryByText('main.g11')).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: '4 more functions' }));
    expect(screen.getByText('main.g11')).toBeVisible();
  });

  it('reports that no goroutine was blocked, and shows nothing if that was not decoded', () => {
    const { unmount } = show(<BlockedTime data={pair([])} ref={null} />);
    expect(screen.getByRole('region', { name: 'Blocked time' })).toHaveTextContent(
      'No goroutine was blocked for long',
    );
    unmount();
    show(<BlockedTime data={pair(null)} ref={null} />);
    expect(screen.queryByRole('region', { name: 'Blocked time' })).toBeNull();
  });
});
