import { screen, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import { at, problem, server } from '../../../testing/mock-api';
import { HOSTILE_NAME, aSpan, aTraceOfSpans, anExplanation } from '../../../testing/span-fixtures';
import { anArtifact } from '../../../testing/api-factories';
import { show } from '../../../testing/render';
import { SpanFacts } from './SpanFacts';
import { SpanPanel } from './SpanPanel';
import { readTrace } from './span-types';

const EXPLANATIONS = at('/span-sets/:id/traces/:trace/gap-explanations');

type Acts = { selected: (number | null)[]; windows: { from: number; to: number }[] };

/** Shows the panel of one span of a trace, and records what is selected in it. */
function showPanel(row: number, trace: object = aTraceOfSpans()) {
  const acts: Acts = { selected: [], windows: [] };
  const shown = show(
    <SpanPanel
      artifactId="s1"
      trace={readTrace(trace)}
      row={row}
      onSelect={(next) => acts.selected.push(next)}
      onWindow={(next) => acts.windows.push(next)}
      traceLink={(id, words) => <a href={`#trace-${id}`}>{words}</a>}
      executionLink={(id, words) => <a href={`#execution-${id}`}>{words}</a>}
    />,
  );
  return { ...shown, ...acts, panel: screen.getByRole('complementary', { name: 'Selected span' }) };
}

const explain = (...explanations: object[]) =>
  server.use(http.get(EXPLANATIONS, () => HttpResponse.json(explanations)));

const explained = (document: object) => ({
  id: 'e1',
  artifact_id: 's1',
  trace_id: 'aa'.repeat(16),
  span: 0,
  gap: 0,
  state: 'done',
  problem: null,
  job_id: null,
  created_at: '2026-11-21T12:00:00Z',
  document,
});

const valueOf = (term: string) => screen.getByText(term, { selector: 'dt' }).nextElementSibling;

describe('SpanPanel details', () => {
  it('show duration, start, self time, kind and the share of the critical path', () => {
    explain();
    showPanel(0);
    expect(valueOf('duration')).toHaveTextContent('10 ms');
    expect(valueOf('began')).toHaveTextContent('0 ns after the trace');
    expect(valueOf('self time')).toHaveTextContent('7 ms, 70%');
    expect(valueOf('on the critical path')).toHaveTextContent('7 ms self time, 70% of the trace');
    expect(valueOf('kind')).toHaveTextContent('server');
    expect(screen.queryByText('instance')).not.toBeInTheDocument();
  });

  it('show the instance, and that a span is not on the critical path', () => {
    explain();
    showPanel(0, aTraceOfSpans({ critical_path: [], spans: [aSpan({ instance: 'pod-7' })] }));
    expect(valueOf('on the critical path')).toHaveTextContent('not on it');
    expect(valueOf('instance')).toHaveTextContent('pod-7');
  });

  it('explain an error, a time outside of the parent and a corrected clock skew', () => {
    showPanel(2);
    expect(screen.getByText('Ended with an error.')).toBeInTheDocument();
    expect(screen.getByText('Outside the time of its parent.')).toBeInTheDocument();
    expect(screen.getByText(/drawn 500 µs later than recorded/)).toBeInTheDocument();
  });

  it('render HTML in names and attributes as text', () => {
    const { panel } = showPanel(2);
    expect(within(panel).getAllByText(HOSTILE_NAME)).toHaveLength(2);
    expect(within(panel).getByRole('rowheader', { name: 'http.route' })).toBeInTheDocument();
    expect(panel.querySelector('img')).toBeNull();
  });

  it('list events with their times, and links to other traces', () => {
    const other = 'dd'.repeat(16);
    showPanel(
      0,
      aTraceOfSpans({
        spans: [
          aSpan({
            gaps: [],
            events: [{ at_ns: 9_000_000, name: 'exception' }],
            links: [{ trace_id: other, span_id: '00000000000000b7' }],
          }),
        ],
      }),
    );
    expect(screen.getByText('exception').parentElement).toHaveTextContent('9 ms exception');
    expect(screen.getByRole('link', { name: other })).toHaveAttribute('href', `#trace-${other}`);
    expect(screen.getByText('00000000000000b7')).toBeInTheDocument();
  });
});

describe('SpanPanel actions', () => {
  it('select the parent span, and no span after Close', async () => {
    const { user, selected } = showPanel(2);
    await user.click(screen.getByRole('button', { name: 'Parent: /api/v1/push' }));
    await user.click(screen.getByRole('button', { name: 'Close' }));
    expect(selected).toEqual([0, null]);
  });

  it('fit the span into view with a margin, within the bounds of the trace', async () => {
    const { user, windows } = showPanel(2);
    await user.click(screen.getByRole('button', { name: 'Fit into view' }));
    const [window] = windows;
    expect(window?.from).toBeCloseTo(0.74, 5);
    expect(window?.to).toBe(1);
  });

  it('fit a gap of the span into view', async () => {
    explain();
    const { user, windows } = showPanel(0);
    expect(
      screen.getByRole('heading', { name: 'Gaps (self time not covered by a child span)' }),
    ).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: '7 ms' }));
    expect(windows[0]?.from).toBeCloseTo(0, 5);
    expect(windows[0]?.to).toBeCloseTo(0.91, 5);
  });

  it('are not offered if the span has no parent and no gap', () => {
    showPanel(0, aTraceOfSpans({ spans: [aSpan({ gaps: [] })] }));
    expect(screen.queryByRole('button', { name: /^Parent/ })).not.toBeInTheDocument();
    expect(screen.queryByRole('heading', { name: /^Gaps|^Self time/ })).not.toBeInTheDocument();
  });

  it('name the gap of a span without children self time', () => {
    explain();
    showPanel(1);
    expect(screen.getByRole('heading', { name: 'Self time: no child spans' })).toBeInTheDocument();
    expect(screen.getByText('end to end')).toBeInTheDocument();
  });
});

describe('SpanPanel gap explanation', () => {
  it('shows why the server rejected it, and can be requested again', async () => {
    explain();
    let count = 0;
    server.use(
      http.post(EXPLANATIONS, () => {
        count += 1;
        return problem(409, { detail: 'Too many are running.', resolution: 'Try again later.' });
      }),
    );
    const { user } = showPanel(0);
    const request = () => user.click(screen.getByRole('button', { name: /Explain|Try again/ }));
    await request();
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Could not explain the gap · Too many are running.');
    expect(alert).toHaveTextContent('Try again later.');
    await request();
    await screen.findByRole('alert');
    expect(count).toBe(2);
  });

  it('shows P occupancy and GC time when the goroutine is unknown', async () => {
    explain(
      explained(
        anExplanation({
          basis: 'no-goroutine',
          processors: [
            { kind: 'user', group: 'main.other', ns: 3_000_000 },
            { kind: 'idle', group: '', ns: 1_000_000 },
          ],
          gc: { mark_ns: 2_000_000, stop_ns: 50_000, cycles: 1 },
        }),
      ),
    );
    showPanel(0);
    expect(await screen.findByText(/^P occupancy during the gap/)).toHaveTextContent(
      /main\.other 75%.*25%/,
    );
    expect(screen.getByText('GC: marking for 2 ms, stop-the-world for 50 µs.')).toBeInTheDocument();
    expect(screen.queryByRole('table', { name: /^What the goroutine/ })).not.toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Explain again' })).toBeInTheDocument();
  });

  it('shows how many of its pieces are drawn, and a stack when it is opened', async () => {
    explain(explained(anExplanation({ pieces_total: 5000 })));
    const { user } = showPanel(0);
    expect(
      await screen.findByText('Only the first 2 pieces of 5000 are drawn.'),
    ).toBeInTheDocument();
    const table = screen.getByRole('table', { name: 'What the goroutine did in the gap' });
    // The first frame outside the runtime names the stack.
    const stack = within(table).getByText('main.wait');
    expect(stack.parentElement).toHaveTextContent('where main.wait');
    const frame = within(table).getByText('main.wait:12');
    expect(frame).not.toBeVisible();
    await user.click(stack);
    expect(frame).toBeVisible();
    expect(frame).toHaveAttribute('title', 'main.go:12');
    expect(within(table).getByText('· 2 times')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Explain again' })).not.toBeInTheDocument();
  });
});

describe('SpanFacts', () => {
  const spans = {
    ...anArtifact().spans!,
    dialect: 'otlp-json',
    spans: 1600,
    traces: 200,
    services: 2,
    missing_parents: 0,
    duplicates: 0,
    cut_cycles: 0,
    negative_durations: 0,
    clock_skewed_spans: 0,
    start_ns: 1_000_000_000,
    end_ns: 5_000_000_000,
    warnings: [],
  };

  it('shows counts and the recorded time, and no row for a defect with count zero', () => {
    show(<SpanFacts spans={spans} />);
    expect(valueOf('spans')).toHaveTextContent('1,600');
    expect(valueOf('recorded for')).toHaveTextContent('4 s');
    expect(screen.getAllByRole('term')).toHaveLength(5);
  });

  it('shows counts of defects, and warnings as numbered notes', () => {
    show(
      <SpanFacts
        spans={{
          ...spans,
          end_ns: 0,
          cut_cycles: 1,
          negative_durations: 2,
          clock_skewed_spans: 1284,
          warnings: ['too-many: Only the first 100 were read.', 'No service names.'],
        }}
      />,
    );
    expect(valueOf('parent cycles cut')).toHaveTextContent('1');
    expect(valueOf('negative durations')).toHaveTextContent('2');
    expect(valueOf('corrected for clock skew')).toHaveTextContent('1,284');
    expect(valueOf('note')).toHaveTextContent(/^Only the first 100 were read\.$/);
    expect(valueOf('note 2')).toHaveTextContent('No service names.');
    expect(valueOf('recorded for')).toHaveTextContent('0.00 ms');
  });
});
