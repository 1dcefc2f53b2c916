import { render, screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { ratioAxis } from '../../engine/format/ratio-axis';
import { EffectAxis, EffectInterval } from './EffectInterval';

const AXIS = ratioAxis([{ ratio: 11.7, low: 10.1, high: 13.6 }]);

function marks(props: Partial<Parameters<typeof EffectInterval>[0]>): string[] {
  const { container, unmount } = render(
    <EffectInterval axis={AXIS} ratio={null} low={null} high={null} change="noise" {...props} />,
  );
  const found = [...container.querySelectorAll('g > *')].map((mark) => mark.tagName);
  unmount();
  return found;
}

describe('an effect', () => {
  test('is a dot with its interval, spoken in words', () => {
    render(<EffectInterval axis={AXIS} ratio={11.7} low={10.1} high={13.6} change="more" />);
    expect(
      screen.getByRole('img', { name: 'times 11.7, significant, 95% interval 10.1 to 13.6' }),
    ).toBeInTheDocument();
  });
  test('on one side only is a triangle, never a dot', () => {
    expect(marks({ change: 'only-candidate' })).toEqual(['path', 'text']);
    expect(marks({ change: 'only-base' })).toEqual(['path', 'text']);
  });
  test('beyond the axis is an arrow with its value, never a dot at the end', () => {
    const beyond = { ratio: 52, low: 40, high: 66, change: 'more' } as const;
    expect(marks(beyond)).toEqual(['path', 'text']);
    render(<EffectInterval axis={AXIS} {...beyond} />);
    expect(screen.getByText('×52.0', { selector: 'text' })).toBeInTheDocument();
  });
  test('without an interval is a dot alone; without anything, nothing', () => {
    expect(marks({ ratio: 2, change: 'more', low: Number.NaN, high: Number.NaN })).toEqual([
      'circle',
    ]);
    expect(marks({})).toEqual([]);
  });
});

test('the axis names its ticks', () => {
  const { container } = render(<EffectAxis axis={AXIS} />);
  expect([...container.querySelectorAll('text')].map((text) => text.textContent)).toEqual([
    '×0.5',
    '×1',
    '×2',
    '×4',
    '×8',
    '×16',
  ]);
});
