import { fireEvent, render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { aResult } from '../../../testing/api-factories';
import { Caveats, splitCaveats } from './Caveats';

const caveats = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    id: `d${at}`,
    sentence: `Number ${at} differs. So?`,
  }));

test('the gravest three are shown, the others counted and a click away', () => {
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

test('three need no button on a wide screen', () => {
  render(<Caveats result={aResult({ caveats: caveats(3) })} />);
  expect(screen.getAllByRole('button').map((button) => button.textContent)).toEqual(['show']);
});

test('a sentence is cut where its meaning begins', () => {
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

test('the detectable change of gaps is described in words', () => {
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
