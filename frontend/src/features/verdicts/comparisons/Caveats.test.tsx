import { fireEvent, render, screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { aResult } from '../../../testing/api-factories';
import { show } from '../../../testing/render';
import { Caveats, splitCaveats } from './Caveats';

const caveats = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    id: `d${at}`,
    sentence: `Number ${at} differs. So?`,
  }));

test('Caveats shows the first three caveats, and the others on request', () => {
  render(<Caveats result={aResult({ caveats: caveats(5) })} />);
  const strip = screen.getByRole('region', { name: 'Caveats' });
  expect(strip.textContent).toContain('5 caveats');
  expect(screen.queryByText('Number 3 differs.', { exact: false })).toBeNull();
  const more = screen.getByRole('button', { name: '2 more' });
  expect(more.getAttribute('aria-expanded')).toBe('false');
  fireEvent.click(more);
  expect(screen.getByText('Number 4 differs.', { exact: false })).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'fewer' }));
  expect(screen.queryByText('Number 4 differs.', { exact: false })).toBeNull();
});

test('Caveats shows no button for further caveats when there are three', () => {
  render(<Caveats result={aResult({ caveats: caveats(3) })} />);
  expect(screen.getAllByRole('button').map((button) => button.textContent)).toEqual(['show']);
});

test('splitCaveats splits a sentence into the difference and its meaning', () => {
  expect(splitCaveats('Only 2 profiles a side (heap; mutex): the spread. At least 4.')).toEqual([
    'Only 2 profiles a side (heap; mutex):',
    'the spread. At least 4.',
  ]);
  expect(splitCaveats('Go version differs: a in base, b in candidate; runtime changed.')).toEqual([
    'Go version differs: a in base, b in candidate;',
    'runtime changed.',
  ]);
  expect(splitCaveats('One. Two.')).toEqual(['One.', 'Two.']);
  expect(splitCaveats('Alone.')).toEqual(['Alone.', '']);
});

test('Caveats names the self time or gap of a minimum detectable change', () => {
  const detectable = (subject: string) => [{ kind: 'spans.gap', subject, ratio: 4.52 }];
  const { rerender } = render(
    <Caveats
      result={aResult({
        caveats: [],
        minimum_detectable_effects: detectable('ingester-2/Push|START|END'),
      })}
    />,
  );
  const strip = () => screen.getByRole('region', { name: 'Caveats' });
  expect(strip()).toHaveTextContent('change of the self time of ingester-2 Push: ×4.52');
  rerender(
    <Caveats
      result={aResult({
        caveats: [],
        minimum_detectable_effects: detectable('api/List|SELECT a|b|SELECT b'),
      })}
    />,
  );
  expect(strip()).toHaveTextContent('the gap in api List');
});

test('Caveats toggles the list with a button labeled "show" or "hide"', () => {
  render(<Caveats result={aResult({ caveats: caveats(2) })} />);
  expect(screen.getByText('2 caveats')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'show', expanded: false }));
  expect(screen.getByRole('button', { name: 'hide', expanded: true })).toBeTruthy();
});

describe('minimum detectable change in Caveats', () => {
  test.each([
    ['metrics.latency', 'checkout-api', 'the p99 latency of checkout-api'],
    ['trace.gc', 'cpu', 'garbage collection'],
    ['trace.waiting', 'total', 'scheduler latency'],
    [
      'trace.sched_delay',
      'example.com/shop.(*Cart).Add|mutex',
      'the wait time of shop.(*Cart).Add, mutex',
    ],
  ])('names the subject for the kind %s', (kind, subject, text) => {
    show(
      <Caveats
        result={aResult({
          caveats: [],
          minimum_detectable_effects: [{ kind, subject, ratio: 1.2 }],
        })}
      />,
    );
    expect(screen.getByRole('region', { name: 'Caveats' })).toHaveTextContent(
      `Minimum detectable change of ${text}: ×1.20`,
    );
  });

  test.each([
    ['is not known', { kind: 'trace.gc', subject: 'cpu', ratio: null }],
    [
      'belongs to profiles, whose effect the headline shows',
      { kind: 'profile.category', subject: 'total', ratio: 1.1 },
    ],
  ])('is not shown when it %s', (_, effect) => {
    const { container } = show(
      <Caveats result={aResult({ caveats: [], minimum_detectable_effects: [effect] })} />,
    );
    expect(container.querySelector('section')).toBeNull();
  });

  test('is taken from the headline when the headline has one', () => {
    show(
      <Caveats
        result={aResult({
          headline: {
            ...aResult().headline,
            minimum_detectable_effect: 'Too little data.',
          },
          minimum_detectable_effects: [{ kind: 'trace.gc', subject: 'cpu', ratio: 1.2 }],
        })}
      />,
    );
    expect(screen.getByRole('region')).toHaveTextContent('Too little data.');
    expect(screen.getByRole('region')).not.toHaveTextContent('garbage collection');
  });
});
