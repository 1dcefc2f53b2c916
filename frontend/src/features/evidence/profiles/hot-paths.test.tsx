import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import type { HotPath, HotPathSide } from '../../../api';
import { show } from '../../../testing/render';
import HotPaths from './HotPaths';
import { axisOf, changeText, crosses, roomText } from './hot-paths';

const side = (need: number, stack: number, changed: Partial<HotPathSide> = {}): HotPathSide => ({
  lowest_bytes: need,
  highest_bytes: need,
  stack_bytes: stack,
  limit_bytes: stack - 928,
  free_bytes: stack - 928 - need,
  runtime_function: null,
  runtime_bytes: null,
  frames: [
    {
      function: 'example.com/a.Run',
      depth_bytes: 40,
      frame_bytes: need - 48,
      returned_bytes: need - 40,
      is_wrapper: false,
    },
    {
      function: 'example.com/a.Leaf',
      depth_bytes: need,
      frame_bytes: 40,
      returned_bytes: 72,
      is_wrapper: false,
    },
  ],
  ...changed,
});

const path = (base: HotPathSide, candidate: HotPathSide | null): HotPath => ({
  stack: ['example.com/a.Run', 'example.com/a.Leaf'],
  base_share: 0.021,
  candidate_share: 0,
  unfollowed: null,
  base,
  candidate,
});

const CROSSING = path(side(3120, 4096), side(3192, 8192));

describe('HotPaths', () => {
  it('shows a table with the stack space left on both sides and the limit that is crossed', () => {
    show(<HotPaths paths={[CROSSING]} />);
    const row = within(screen.getByRole('table')).getAllByRole('row')[1]!;
    expect(row).toHaveTextContent('base 3,120 of 3,168 (4 KiB), 48 left');
    expect(row).toHaveTextContent(
      'candidate 3,192 of 7,264 (8 KiB), 4,072 left; crosses 3,168 by 24',
    );
    expect(row).toHaveTextContent('2.1%');
  });

  it('lists the functions of a path with frame, depth and returned bytes when it is opened', async () => {
    show(
      <HotPaths
        paths={[
          path(
            side(3120, 4096, { runtime_function: 'runtime.sendDirect', runtime_bytes: 3208 }),
            null,
          ),
        ]}
      />,
    );
    await userEvent.click(screen.getByRole('button', { name: 'a.Leaf' }));
    const frames = within(screen.getByRole('table', { name: 'Functions of the path' }));
    expect(frames.getAllByRole('row').map(({ textContent }) => textContent)).toEqual([
      'FunctionFrame, BDepth, BReturns at most, B',
      'a.Run3,072403,080',
      'a.Leaf403,12072',
    ]);
    expect(screen.getByText(/reaches 3,208 bytes on this path/u)).toBeInTheDocument();
  });
});

describe('hot path calculations', () => {
  it('end the axis at the next limit if that is near, and list the limits before the end', () => {
    expect(axisOf([path(side(3120, 4096), null)])).toEqual({
      end: 1.08 * 3168,
      limits: [
        { bytes: 1120, stack: 2048 },
        { bytes: 3168, stack: 4096 },
      ],
    });
    expect(axisOf([CROSSING]).end).toBeCloseTo(1.08 * 3192);
    expect(axisOf([]).limits).toEqual([]);
  });

  it.each([
    [3104, 4096, '−16', false],
    [3120, 4096, 'unchanged', false],
    [3128, 4096, '+8', false],
    [3168, 8192, 'crosses 3,168 by 0', true],
  ])('describe a need of %i bytes of a stack of %i as "%s"', (need, stack, text, isCrossing) => {
    const changed = path(side(3120, 4096), side(need, stack));
    expect([changeText(changed), crosses(changed)]).toEqual([text, isCrossing]);
  });

  it('describe a varying need of stack as an interval', () => {
    expect(roomText(side(3120, 4096, { lowest_bytes: 3096 }))).toBe(
      '3,096 to 3,120 of 3,168 (4 KiB), 48 left',
    );
  });
});
