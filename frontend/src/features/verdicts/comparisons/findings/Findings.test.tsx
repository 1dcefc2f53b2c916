import { screen, within, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import type { ComparisonResult, CostShift, Finding } from '../../../../api';
import { aFinding, aResult } from '../../../../testing/api-factories';
import { show } from '../../../../testing/render';
import { Findings } from './Findings';

type Effect = Finding['change'];

const anEffect = (changed: Partial<Effect> = {}): Effect => ({ ...aFinding().change, ...changed });

const aCostShift = (changed: Partial<CostShift> = {}): CostShift => ({
  profile_kind: 'cpu',
  from_function: 'example.com/shop.(*Old).Do',
  to_function: 'example.com/shop.(*New).Do',
  common_caller: 'example.com/shop.Serve',
  amount: 12,
  unit: 'us/request',
  sentence: 'Cost shifted from shop.(*Old).Do to shop.(*New).Do below shop.Serve.',
  ...changed,
});

type Options = { chosen?: number | null; unfolded?: boolean };

function list(
  result: Partial<ComparisonResult>,
  { chosen = null, unfolded = false }: Options = {},
) {
  const calls: unknown[][] = [];
  const element = (
    <Findings
      result={aResult(result)}
      chosen={chosen}
      unfolded={unfolded}
      onChoose={(...args) => calls.push(['choose', ...args])}
      onUnfold={(...args) => calls.push(['unfold', ...args])}
      onShow={({ subject }, path) => calls.push(['show', subject, path])}
    />
  );
  return { ...show(element), calls };
}

/** Returns the visible text, without the tooltip of the interval. */
function printedText(element: HTMLElement): string {
  const copy = element.cloneNode(true) as HTMLElement;
  for (const title of copy.querySelectorAll('svg title')) title.remove();
  return copy.textContent;
}

const rows = () =>
  within(screen.getByRole('list', { name: 'Findings, most important first' }))
    .getAllByRole('listitem')
    .map(printedText);

const several = (count: number): Finding[] =>
  Array.from({ length: count }, (_, index) =>
    aFinding({ subject: `f${index}`, sentence: `Number ${index} changed.` }),
  );

describe('row of a finding', () => {
  it('shows the effect with its interval, the attributed caller with its share, and the significance', () => {
    list({});
    expect(rows()[0]).toMatch(
      /^1Stack growth \(morestack\) takes more time: 726 µs per request instead of 62×11\.710\.1 – 13\.6ident\.\(\*Pool\)\.Clone98%significant$/u,
    );
    expect(screen.getByTitle('example.com/northwind/ident.(*Pool).Clone')).toHaveTextContent(
      'ident.(*Pool).Clone',
    );
  });

  it.each<[string, Partial<Finding>, string]>([
    [
      'shows the absolute difference when the base is zero',
      { base: 0, change: anEffect({ ratio: null, difference: 664, ci_of: 'difference' }) },
      'no ratio+664 µs',
    ],
    [
      'shows the absolute difference when the candidate is zero',
      {
        candidate: 0,
        direction: 'better',
        change: anEffect({ ratio: 0, difference: -62, ci_of: 'difference' }),
      },
      'no ratio−62 µs',
    ],
    [
      'shows a very small ratio, also in the chart, whose axis ends before it',
      {
        candidate: 1e-5,
        direction: 'better',
        change: anEffect({ ratio: 1e-7, ci_of: 'difference' }),
      },
      '×< 0.001×< 0.001',
    ],
    [
      'shows a very large ratio as a whole number',
      { change: anEffect({ ratio: 123_456, ci_of: 'difference' }) },
      '×123,456',
    ],
    [
      'leaves out an upper bound that is not known',
      { change: anEffect({ ci_high: 1e9 }) },
      '×11.7≥ ×10.1',
    ],
  ])('%s', (_, changed, text) => {
    list({ findings: [aFinding({ attributed_callers: [], ...changed })] });
    expect(rows()[0]).toContain(`62${text}–`);
  });

  it.each<[string, Partial<Finding>, string]>([
    ['worse', {}, 'more'],
    ['better', { direction: 'better', candidate: 6, change: anEffect({ ratio: 0.1 }) }, 'less'],
    ['only in the candidate', { base: 0 }, 'more'],
    ['only in the base', { direction: 'better', candidate: 0 }, 'less'],
    ['tentative', { is_significant: false }, 'muted'],
    [
      'a benchmark of which less is worse',
      {
        kind: 'bench',
        unit: 'B/s',
        subject: 'Read-8|B/s',
        direction: 'worse',
        base: 900,
        candidate: 300,
        change: anEffect({ ratio: 0.33 }),
      },
      'more',
    ],
    [
      'a benchmark of which more is better',
      {
        kind: 'bench',
        unit: 'B/s',
        subject: 'Read-8|B/s',
        direction: 'better',
        base: 300,
        candidate: 900,
        change: anEffect({ ratio: 3 }),
      },
      'less',
    ],
  ])('colors the effect of a change that is %s', (_, changed, tone) => {
    list({ findings: [aFinding(changed)] });
    const effect = screen.getByText(/^×(11\.7|0\.10|0\.33|3)/u);
    expect(effect.className.split(' ')).toContain(tone);
    expect(
      effect.className.split(' ').filter((name) => ['more', 'less', 'muted'].includes(name)),
    ).toEqual([tone]);
  });

  it.each([
    [null, / · tentative×/u],
    [0, / · tentative×/u],
    [1, / · tentative; record 1 more profile per side for a conclusive result×/u],
    [4, / · tentative; record 4 more profiles per side for a conclusive result×/u],
  ])('shows how many more profiles a tentative finding needs: %s', (needed, text) => {
    list({
      findings: [aFinding({ is_significant: false, profiles_needed: needed, q_value: 0.2 })],
    });
    expect(rows()[0]).toMatch(text);
    // A tentative finding shows no q-value.
    expect(rows()[0]).toMatch(/98%tentative$/u);
  });

  it.each([
    [651, '98%'],
    [664, '100%'],
    [3, '0.45%'],
    [0.001, '< 0.01%'],
    [-30, ''],
    [900, ''],
  ])('shows the valid share of a caller whose difference is %s', (difference, share) => {
    const caller = { ...aFinding().attributed_callers[0]!, difference };
    list({ findings: [aFinding({ attributed_callers: [caller] })] });
    expect(rows()[0]).toContain(`ident.(*Pool).Clone${share}significant`);
  });

  it('shows no share when the change is zero', () => {
    list({ findings: [aFinding({ change: anEffect({ difference: 0 }) })] });
    expect(rows()[0]).toContain('ident.(*Pool).Clonesignificant');
  });

  it('does not attribute a function to itself', () => {
    const subject = 'example.com/northwind/ident.(*Pool).Clone';
    list({ findings: [aFinding({ kind: 'profile.function', subject })] });
    expect(rows()[0]).toMatch(/13\.6–significant$/u);
  });

  it('names the occupant during a wait, without a share of the change', () => {
    list({
      findings: [
        aFinding({
          kind: 'trace.sched_delay',
          profile_kind: 'trace',
          subject: 'main.worker',
          sentence: 'main.worker waits longer for a processor.',
          contributions: [{ subject: 'gc', share: 0.7 }],
        }),
      ],
    });
    expect(rows()[0]).toMatch(/the GCsignificant$/u);
    expect(screen.getByText('behind')).toBeInTheDocument();
  });

  it.each([
    ['cpu', ' · CPU'],
    ['trace', ' · execution traces'],
    ['bench', ' · benchmarks'],
    ['metrics', ' · metrics'],
    ['', ''],
  ])('names the kind of evidence %j when there are several kinds', (kind, words) => {
    const [first] = aResult().profile_kinds;
    list({
      findings: [aFinding({ profile_kind: kind })],
      profile_kinds: [first!, { ...first!, kind: 'heap' }],
    });
    expect(rows()[0]).toContain(`instead of 62${words}×11.7`);
  });

  it('is chosen by its sentence and expanded by its number with the keyboard', async () => {
    const { user, calls } = list({ findings: several(2) });
    // Two terms in the column headers get the focus first.
    for (let press = 0; press < 3; press += 1) await user.tab();
    expect(screen.getByRole('button', { name: 'Explain finding 1' })).toHaveFocus();
    await user.keyboard('{Enter}');
    // The focus passes the sentence and the certainty of this finding and the number of the next.
    for (let press = 0; press < 4; press += 1) await user.tab();
    await user.keyboard(' ');
    expect(calls).toEqual([
      ['unfold', 0, true],
      ['choose', 1],
    ]);
  });

  it('shows its certainty as a word that opens the q-value and its meaning by keyboard', async () => {
    const { user } = list({});
    const word = screen.getByRole('button', { name: 'significant' });
    expect(word).toHaveAttribute('title', 'q < .001');
    word.focus();
    await user.keyboard('{Enter}');
    const meaning = await screen.findByRole('dialog');
    expect(meaning).toHaveTextContent(/^q < \.001q-value: /u);
    expect(within(meaning).getByRole('link', { name: 'Glossary', hidden: true })).toHaveAttribute(
      'href',
      '/help/glossary#statistics',
    );
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(screen.getByRole('button', { name: 'significant' })).toHaveFocus();
  });

  it('is marked as current when it is chosen, and can be folded again', async () => {
    const { user, calls } = list({ findings: several(2) }, { chosen: 1, unfolded: true });
    expect(screen.getByRole('button', { name: 'Number 1 changed' })).toHaveAttribute(
      'aria-current',
      'true',
    );
    expect(screen.getByRole('button', { name: 'Explain finding 1' })).toHaveAttribute(
      'aria-expanded',
      'false',
    );
    await user.click(screen.getByRole('button', { name: 'Fold finding 2' }));
    expect(calls).toEqual([['unfold', 1, false]]);
  });
});

describe('list of findings', () => {
  it('shows "No findings." when there are none', () => {
    list({ findings: [] });
    expect(screen.getByText('No findings.')).toBeInTheDocument();
    expect(screen.queryByRole('list')).toBeNull();
  });

  it.each([
    [1, '1 finding'],
    [2, '2 findings, most important first'],
  ])('shows the number of findings: %i', (count, text) => {
    list({ findings: several(count) });
    expect(screen.getByText(text)).toBeInTheDocument();
  });

  it('shows "No findings" above cost shifts when there are only cost shifts', () => {
    list({ findings: [], cost_shifts: [aCostShift()] });
    expect(screen.getByText('No findings')).toBeInTheDocument();
    expect(rows()).toEqual([
      'Cost shifted from shop.(*Old).Do to shop.(*New).Do below shop.Servecost shift, no net changeshop.Serve–',
    ]);
  });

  it('names the profile kind of a cost shift when there are several kinds', () => {
    const [first] = aResult().profile_kinds;
    list({
      cost_shifts: [aCostShift({ profile_kind: 'allocs' })],
      profile_kinds: [first!, { ...first!, kind: 'allocs' }],
    });
    expect(rows().at(-1)).toContain('below shop.Serveallocationscost shift, no net change');
  });

  it.each([
    [4, 'Show 1 more finding'],
    [11, 'Show 8 more findings'],
  ])('shows three of %i findings, and the others on request', async (count, text) => {
    const { user } = list({ findings: several(count) });
    expect(rows()).toHaveLength(4);
    await user.click(screen.getByRole('button', { name: text }));
    expect(rows()).toHaveLength(count);
    expect(screen.queryByRole('button', { name: text })).toBeNull();
  });

  it('shows a finding beyond the first three that a link chooses later, and stays expanded', async () => {
    function Chosen() {
      const [chosen, setChosen] = useState<number | null>(null);
      return (
        <>
          <button onClick={() => setChosen(9)}>Follow a link</button>
          <Findings
            result={aResult({ findings: several(11) })}
            chosen={chosen}
            unfolded={false}
            onChoose={setChosen}
            onUnfold={() => undefined}
            onShow={() => undefined}
          />
        </>
      );
    }
    const { user } = show(<Chosen />);
    await user.click(screen.getByRole('button', { name: 'Follow a link' }));
    expect(screen.getByRole('button', { current: true })).toHaveTextContent('Number 9 changed');
    await user.click(screen.getByRole('button', { name: 'Number 0 changed' }));
    // The list does not get shorter after the click.
    expect(rows()).toHaveLength(11);
  });

  it('shows all findings when one beyond the first three is chosen from the start', () => {
    list({ findings: several(11) }, { chosen: 8 });
    expect(rows()).toHaveLength(11);
    expect(screen.getByRole('button', { current: true })).toHaveTextContent('Number 8 changed');
  });

  it('shows the same icon for findings of the same kind, whatever their subject', () => {
    const kinds = ['spans.gap', 'trace.group', 'profile.function', 'metrics.latency'];
    const findings = kinds.flatMap((kind) => [
      aFinding({ kind, subject: 'gcs-proxy/Get|START|END' }),
      aFinding({ kind, subject: 'api/Get|START|END' }),
    ]);
    list({ findings: [...findings, aFinding({ subject: 'gc-mark' })] }, { chosen: 8 });
    const icons = within(screen.getByRole('list'))
      .getAllByRole('listitem')
      .map((row) => row.querySelector('svg')?.innerHTML);
    for (const [index] of kinds.entries()) expect(icons[2 * index]).toBe(icons[2 * index + 1]);
    expect(new Set(icons).size).toBe(kinds.length + 1);
  });

  it('names the column of callers by the kinds of findings in the list', () => {
    const wait = aFinding({ kind: 'trace.group', profile_kind: 'trace' });
    list({ findings: [aFinding(), wait] });
    expect(screen.getByText('attributed to, or waiting for')).toBeInTheDocument();
  });
});

describe('explanation of a finding', () => {
  const explained = (changed: Partial<Finding>) =>
    list({ findings: [aFinding(changed)] }, { chosen: 0, unfolded: true });

  it('shows both values and the difference, without cause, suggested fix or breakdown', () => {
    explained({});
    const text = rows()[0];
    expect(text).toMatch(
      /base62 µs per request.*candidate726 µs per request.*difference\+664 µs per request/u,
    );
    expect(text).not.toContain('Goroutines begin with a small stack');
    expect(text).not.toContain('Breakdown');
  });

  it.each([
    [
      'sec/op',
      1.2e-6,
      2.4e-6,
      'base1.20 µs per opcandidate2.40 µs per opdifference+1.20 µs per op',
    ],
    ['B/op', 512, 2048, 'base512 B per opcandidate2 KiB per opdifference+1.50 KiB per op'],
    ['allocs/op', 3, 0, 'base3 per opcandidate0 per opdifference−3 per op'],
    ['share', 0.25, 0.5, 'base25% candidate50% difference+25% '],
    ['nanoseconds', 0, 5e9, 'base0 ns candidate5 s difference+5 s '],
  ])('formats values in %s', (unit, base, candidate, text) => {
    explained({ unit, base, candidate, change: anEffect({ difference: candidate - base }) });
    expect(rows()[0]).toContain(text);
  });

  it('leaves out the list of callers when none is known', () => {
    explained({ attributed_callers: [] });
    expect(screen.queryByRole('list', { name: 'Attributed to' })).toBeNull();
  });

  it.each([
    ['profile.category', 'gc-mark', 'GC mark 75%'],
    ['profile.category', 'github.com/go-kit/log.(*x).Do', 'log.(*x).Do 75%'],
    ['spans.amplification', 'checkout-api/GET', 'checkout-api/GET 75%'],
    ['growth.count', '2 KiB to 4 KiB', '2 KiB to 4 KiB 75%'],
    ['trace.sched_delay', 'assist|example.com/shop.Serve', 'shop.Serve, assist 75%'],
  ])('for the kind %s names the contribution %s', (kind, subject, text) => {
    explained({ kind, contributions: [{ subject, share: 0.75 }] });
    expect(rows()[0]).toContain(`Breakdown ${text}`);
  });

  it('shows a caller in the graph on click, without the runtime frames below it', async () => {
    const { user, calls } = explained({});
    const callers = screen.getByRole('list', { name: 'Attributed to' });
    expect(callers).toHaveTextContent(
      'ident.(*Pool).Clone +651 µs through runtime.newstackmain.main › ident.(*Pool).Clone › runtime.newstack',
    );
    await user.click(within(callers).getByRole('button', { name: 'ident.(*Pool).Clone' }));
    expect(calls).toEqual([
      ['show', 'stack-growth', ['main.main', 'example.com/northwind/ident.(*Pool).Clone']],
    ]);
  });

  it('lists at most five callers', () => {
    const caller = aFinding().attributed_callers[0]!;
    explained({
      attributed_callers: Array.from({ length: 7 }, (_, index) => ({
        ...caller,
        function: `main.f${index}`,
        entry: null,
        path: [],
      })),
    });
    const listed = within(screen.getByRole('list', { name: 'Attributed to' }));
    expect(listed.getAllByRole('listitem').map((each) => each.textContent)).toEqual(
      [0, 1, 2, 3, 4].map((index) => `main.f${index} +651 µs`),
    );
  });
});

describe('columns and terms of a list of findings', () => {
  const own = aFinding({
    sentence: 'Best takes more time.',
    subject: 'shop.Best',
    kind: 'profile.function',
    attributed_callers: [],
  });

  it('are shown only when the findings use them', () => {
    const { unmount } = list({ findings: [own] });
    expect(screen.queryByText('attributed to')).not.toBeInTheDocument();
    expect(screen.queryByText('Terms:')).not.toBeInTheDocument();
    unmount();
    list({ findings: [aFinding()] });
    expect(screen.getByText('attributed to')).toBeInTheDocument();
    expect(screen.getByText('Terms:').parentElement).toHaveTextContent(
      /^Terms:attributed coststack growth$/u,
    );
  });

  it('include the certainty of a tentative finding', () => {
    list({ findings: [{ ...own, is_significant: false, q_value: null }] });
    expect(rows()[0]).toMatch(/tentative$/u);
    expect(screen.getByText('Terms:')).toBeInTheDocument();
  });
});
