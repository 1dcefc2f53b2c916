import { describe, expect, it } from 'vitest';
import { panelHeights } from './use-panel-heights';

describe('panelHeights', () => {
  it('fills the space, and doubles the height of the affected row', () => {
    const { usual, affected } = panelHeights(700, [0, 0, 0, 0], 1);
    expect(usual).toBe(120);
    expect(affected).toBe(240);
    expect(3 * (usual + 25) + affected + 25).toBeLessThanOrEqual(700);
  });

  it('leaves space for strips of gauges', () => {
    expect(panelHeights(500, [0, 2, 0], -1)).toEqual({ usual: 127, affected: 254 });
  });

  it.each([
    [50, 72],
    [1, 180],
  ])('limits the panels of %i services to %i px', (services, px) => {
    expect(panelHeights(700, new Array<number>(services).fill(0), -1).usual).toBe(px);
  });
});
