import { MantineProvider } from '@mantine/core';
import { fireEvent, render, screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import type { Deploy } from '../../../api';
import { readDashboard } from '../../../engine/dashboard/dashboard-file';
import { aDashboard, serviceId } from '../../../testing/dashboard-fixtures';
import { DashboardToolbar } from './DashboardToolbar';
import { previousDeployment, rangesAround } from './deployment-comparison';
import { labelsOf } from './metric-label-text';
import { changesOn, panelMarkersOf } from './panel-markers';
import {
  DEFAULT_DASHBOARD_VIEW,
  dashboardSearchOf,
  dashboardViewOf,
  isDashboardStep,
  readDashboardSearch,
  explainInvalidTimeRange,
  widened,
  zoomed,
  type DashboardView,
} from './dashboard-url';
import { arranged, moved } from './use-service-order';
import { pageOf } from './use-visible-rows';
import {
  earlierRange,
  earlierWeek,
  explainUnavailableRange,
  explainInvalidRange,
  rangeLabel,
} from './time-ranges';

describe('dashboard URL', () => {
  const whole: DashboardView = {
    environment: 'e1',
    range: { fromMs: Date.UTC(2026, 10, 18, 12), toMs: Date.UTC(2026, 10, 18, 16) },
    against: 'before-deploy',
    scale: 'linear',
    quantiles: ['p50', 'mean'],
    instances: true,
    deploy: 'd1',
    note: 'new',
    alone: 's1',
    split: { service: 's2', label: 'route' },
  };

  it('restores a complete view, and omits default values', () => {
    expect(dashboardViewOf(readDashboardSearch({ ...dashboardSearchOf(whole) }))).toEqual(whole);
    expect(dashboardSearchOf(whole).from).toBe('2026-11-18T12:00:00Z');
    expect(JSON.stringify(dashboardSearchOf(DEFAULT_DASHBOARD_VIEW))).toBe('{}');
    expect(dashboardViewOf({})).toEqual(DEFAULT_DASHBOARD_VIEW);
  });

  it('replaces only invalid parameters by their defaults', () => {
    const view = dashboardViewOf(
      readDashboardSearch({ range: '3y', scale: 'log2', q: 'p12,,p99', from: 'x', to: 5, env: 7 }),
    );
    expect(view).toEqual({ ...DEFAULT_DASHBOARD_VIEW, quantiles: ['p99'] });
    const reversed = readDashboardSearch({ from: 1.79e12, to: 1.78e12, range: '24h' });
    expect(dashboardViewOf(reversed).range).toBe('24h');
  });

  it('adds a history entry for a time range or an open panel, but not for a display setting', () => {
    expect(
      isDashboardStep(DEFAULT_DASHBOARD_VIEW, { ...DEFAULT_DASHBOARD_VIEW, range: '7d' }),
    ).toBe(true);
    expect(isDashboardStep(whole, { ...whole, deploy: '' })).toBe(true);
    expect(
      isDashboardStep(DEFAULT_DASHBOARD_VIEW, { ...DEFAULT_DASHBOARD_VIEW, scale: 'linear' }),
    ).toBe(false);
  });
});

describe('dashboard time range', () => {
  const day = 86_400_000;
  const now = Date.UTC(2026, 10, 18);

  it('is doubled when it is widened, but not beyond now and to at most 90 days', () => {
    expect(widened({ fromMs: now - 3 * day, toMs: now - 2 * day }, now)).toEqual({
      fromMs: now - 3.5 * day,
      toMs: now - 1.5 * day,
    });
    expect(widened({ fromMs: now - day, toMs: now }, now)).toEqual({
      fromMs: now - 1.5 * day,
      toMs: now,
    });
    const most = widened({ fromMs: now - 80 * day, toMs: now }, now);
    expect(most).toEqual({ fromMs: now - 90 * day, toMs: now });
    expect(explainInvalidTimeRange(most)).toBeNull();
  });

  it('is at least 10 s long when it is zoomed', () => {
    expect(zoomed({ fromMs: now, toMs: now + day })).toEqual({ fromMs: now, toMs: now + day });
    expect(zoomed({ fromMs: now, toMs: now + 5000 })).toEqual({
      fromMs: now - 2500,
      toMs: now + 7500,
    });
  });

  it('keeps an entered start while the live dashboard advances', async () => {
    const onChange = vi.fn();
    const toolbar = (toMs: number) => (
      <MantineProvider env="test">
        <DashboardToolbar
          view={DEFAULT_DASHBOARD_VIEW}
          board={null}
          span={{ fromMs: toMs - day, toMs }}
          live={{ state: 'live', refetchMs: 15_000 }}
          onChange={onChange}
          onNotes={vi.fn()}
          onWindows={null}
          mapLink={() => null}
        />
      </MantineProvider>
    );
    const { rerender } = render(toolbar(now));
    fireEvent.click(screen.getByRole('button', { name: /UTC$/u }));
    const from = await screen.findByLabelText(/^From, UTC/u);
    fireEvent.change(from, { target: { value: '2026-11-17T12:30' } });
    rerender(toolbar(now + 15_000));
    expect(screen.getByLabelText(/^From, UTC/u)).toHaveValue('2026-11-17T12:30');
    fireEvent.click(screen.getByRole('button', { name: 'Show' }));
    expect(onChange).toHaveBeenCalledExactlyOnceWith({
      range: { fromMs: Date.UTC(2026, 10, 17, 12, 30), toMs: now },
    });
  });

  it('is rejected with a reason if it is empty or longer than 90 days', () => {
    expect(explainInvalidTimeRange({ fromMs: now, toMs: now })).toBe('Must be later');
    expect(explainInvalidTimeRange({ fromMs: now - 91 * day, toMs: now })).toBe('90 days at most');
  });
});

describe('service order', () => {
  it('moves a row to an index, and places unknown rows last', () => {
    expect(moved(['a', 'b', 'c'], 'c', 0)).toEqual(['c', 'a', 'b']);
    expect(moved(['a', 'b', 'c'], 'a', 99)).toEqual(['b', 'c', 'a']);
    expect(arranged(['a', 'b', 'c'], ['c', 'a'])).toEqual([2, 0, 1]);
    expect(arranged(['a', 'b'], null)).toEqual([0, 1]);
  });
});

describe('pageOf', () => {
  const order = Array.from({ length: 100 }, (_, at) => `s${at}`);

  it('returns a page of rows that are not loaded, visible rows first', () => {
    const waiting = new Set(order.slice(24));
    const page = pageOf(order, waiting, ['s41', 's40']);
    expect(page).toHaveLength(24);
    expect(page.slice(0, 4)).toEqual(['s41', 's40', 's42', 's43']);
    expect(pageOf(order, new Set(['s99']), ['s98', 's99'])).toEqual(['s99']);
    expect(pageOf(order, waiting, ['gone'])).toEqual([]);
    expect(pageOf(order, new Set(), ['s1'])).toEqual([]);
  });
});

describe('time ranges to compare', () => {
  const at = (time: string) => Date.parse(`2026-11-18T${time}:00Z`);
  const service = { id: 's1', name: 'distributor' };
  const chosen = { fromMs: at('14:00'), toMs: at('14:20'), service };

  it('have an earlier base, and are rejected if they overlap or are too long', () => {
    const span = ({ fromMs, toMs }: typeof chosen) => [fromMs, toMs];
    expect(span(earlierRange(chosen))).toEqual([at('13:40'), at('14:00')]);
    expect(span(earlierWeek(chosen))).toEqual([
      Date.parse('2026-11-11T14:00:00Z'),
      Date.parse('2026-11-11T14:20:00Z'),
    ]);
    expect(explainInvalidRange(earlierRange(chosen), chosen)).toBeNull();
    expect(explainInvalidRange({ ...chosen, toMs: at('14:01') }, chosen)).toContain('overlap');
    expect(
      explainInvalidRange({ ...chosen, service: { id: 's2', name: 'store' } }, chosen),
    ).toBeNull();
    expect(explainInvalidRange({ ...chosen, fromMs: 0, toMs: at('13:00') }, chosen)).toContain(
      'at most 7 days',
    );
    const row = (histogram: 'classic' | 'mean') =>
      explainUnavailableRange({ latency: { histogram, reason: null } });
    expect(row('classic')).toBeNull();
    expect(row('mean')).toContain('No latency histogram is received.');
    expect(rangeLabel(chosen, chosen)).toBe('14:00 to 14:20');
    expect(rangeLabel(chosen, earlierWeek(chosen))).toBe('Wed 18 Nov 14:00 to Wed 18 Nov 14:20');
  });
});

describe('panel markers', () => {
  const board = readDashboard(aDashboard());
  const distributor = board.rows[1]!;

  it('show only the highest quantile of several change points at one time', () => {
    const [p99] = board.changes;
    const p90 = { ...p99!, id: 'p90', signal: 'p90' as const };
    const two = { ...board, changes: [p90, p99!] };
    expect(changesOn(two, distributor, ['p50', 'p90', 'p99']).map(({ id }) => id)).toEqual([
      p99!.id,
    ]);
    expect(changesOn(two, distributor, ['p90']).map(({ id }) => id)).toEqual(['p90']);
  });

  it('label deployments of the own service, mute those without effect, and explain gaps', () => {
    const own = panelMarkersOf(board, distributor, 'qps', ['qps']);
    expect(own.deploys.map(({ muted, label }) => [muted, label?.name])).toEqual([
      [false, '5f3c1e8d00'],
      [true, undefined],
    ]);
    expect(panelMarkersOf(board, board.rows[4]!, 'latency', ['p99']).gaps[0]?.why).toBe(
      'no data: scrape failed',
    );
  });

  it('show the levels of a change point only on the row of its service', () => {
    const steps = (row: number) =>
      panelMarkersOf(board, board.rows[row]!, 'latency', ['p99']).steps;
    expect(steps(1)[0]).toMatchObject({ levels: true, tone: 'more', before: 0.026 });
    expect(steps(0)[0]).toMatchObject({ levels: false, tone: 'plain' });
  });
});

describe('deployment comparison', () => {
  const deploy = (id: string, build_id: string | null, started_at: string, commit = id) =>
    ({ id, build_id, started_at, commit, service_id: serviceId(0) }) as Deploy;

  it('uses the newest earlier deployment of another build as the previous one', () => {
    const own = deploy('c', 'b2', '2026-11-18T14:00:00Z');
    const again = deploy('b', 'b2', '2026-11-18T13:00:00Z');
    const other = deploy('a', 'b1', '2026-11-17T13:00:00Z');
    const oldest = deploy('z', 'b0', '2026-11-01T13:00:00Z');
    expect(previousDeployment([oldest, own, again, other], own)?.id).toBe('a');
    expect(previousDeployment([own], own)).toBeNull();
    const unnamed = deploy('d', null, '2026-11-19T14:00:00Z', 'x');
    expect(previousDeployment([unnamed, { ...own, commit: 'x' }, other], unnamed)?.id).toBe('a');
  });

  it('uses latency ranges before and after a deployment in which only one build ran', () => {
    const own = deploy('c', 'b2', '2026-11-18T14:00:00Z');
    const before = deploy('a', 'b1', '2026-11-18T13:45:00Z');
    const at = (time: string) => Date.parse(`2026-11-18T${time}Z`);
    const around = (now: string, others = [before], ended_at: string | null = null) => {
      const found = rangesAround(
        { ...own, ended_at },
        others[0] ?? before,
        [own, ...others],
        at(now),
      );
      return found && [found.base.from, found.base.to, found.candidate.from, found.candidate.to];
    };
    const hours = (...times: string[]) => times.map((time) => `2026-11-18T${time}:00.000Z`);
    const oldest = deploy('z', 'b0', '2026-11-01T13:00:00Z');
    expect(around('20:00:00', [oldest])).toEqual(hours('13:30', '14:00', '14:01', '14:30'));
    expect(around('20:00:00')).toEqual(hours('13:45', '14:00', '14:01', '14:30'));
    expect(around('14:14:59')).toEqual(hours('13:45', '14:00', '14:01', '14:10'));
    const next = deploy('d', 'b3', '2026-11-18T14:20:00Z');
    expect(around('20:00:00', [before, next])?.[3]).toBe('2026-11-18T14:20:00.000Z');
    expect(around('20:00:00', [before], '2026-11-18T14:15:00Z')?.[3]).toBe(
      '2026-11-18T14:15:00.000Z',
    );
    expect(around('14:04:59')).toBeNull();
    expect(around('20:00:00', [deploy('a', 'b1', '2026-11-18T13:57:00Z')])).toBeNull();
    expect(around('13:00:00')).toBeNull();
  });
});

describe('labelsOf', () => {
  it('parses labels with and without quotes, and returns null for invalid text', () => {
    expect(labelsOf('code="200", path=/api')).toEqual({ code: '200', path: '/api' });
    expect(labelsOf('')).toEqual({});
    expect(labelsOf('code')).toBeNull();
  });
});
