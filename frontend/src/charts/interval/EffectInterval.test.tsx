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

describe('EffectInterval', () => {
  test('has an accessible name with ratio, significance and interval', () => {
    render(<EffectInterval axis={AXIS} ratio={11.7} low={10.1} high={13.6} change="more" />);
    expect(
      screen.getByRole('img', { name: 'times 11.7, significant, 95% interval 10.1 to 13.6' }),
    ).toBeInTheDocument();
  });
  test('shows a triangle and no dot for a change on one side only', () => {
    expect(marks({ change: 'only-candidate' })).toEqual(['path', 'text']);
    expect(marks({ change: 'only-base' })).toEqual(['path', 'text']);
  });
  test('shows an arrow with the value and no dot for a ratio beyond the axis', () => {
    const beyond = { ratio: 52, low: 40, high: 66, change: 'more' } as const;
    expect(marks(beyond)).toEqual(['path', 'text']);
    render(<EffectInterval axis={AXIS} {...beyond} />);
    expect(screen.getByText('×52.0', { selector: 'text' })).toBeInTheDocument();
  });
  test('shows only a dot without an interval, and nothing without a ratio', () => {
    expect(marks({ ratio: 2, change: 'more', low: Number.NaN, high: Number.NaN })).toEqual([
      'circle',
    ]);
    expect(marks({})).toEqual([]);
  });
});

test('EffectAxis labels its ticks', () => {
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
