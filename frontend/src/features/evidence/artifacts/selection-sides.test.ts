import { describe, expect, it } from 'vitest';
import { anArtifact } from '../../../testing/api-factories';
import { sidesOfSelection } from './selection-sides';

const at = (id: string, minute: number, changed: object = {}) => ({
  ...anArtifact({ id, profile: null, created_at: `2026-11-21T09:${minute}:00Z` }),
  ...changed,
});

describe('the sides of selected artifacts', () => {
  it('of two builds are the builds, the older one is the base', () => {
    const selected = [
      at('new', 30, { build_id: 'b2' }),
      at('old', 10, { build_id: 'b1' }),
      at('new-2', 40, { build_id: 'b2' }),
    ];
    expect(sidesOfSelection(selected)).toEqual({ base: ['old'], candidate: ['new', 'new-2'] });
  });

  it('are what the names contain', () => {
    const selected = [at('a', 10, { name: 'after.pb.gz' }), at('b', 20, { name: 'before.pb.gz' })];
    expect(sidesOfSelection(selected)).toEqual({ base: ['b'], candidate: ['a'] });
  });

  it('are the older half and the newer half otherwise', () => {
    const same = { name: 'cpu.pb.gz' };
    const selected = [at('c', 30, same), at('a', 10, same), at('b', 20, same)];
    expect(sidesOfSelection(selected)).toEqual({ base: ['a', 'b'], candidate: ['c'] });
  });

  it('of one is the base', () => {
    expect(sidesOfSelection([at('a', 10)])).toEqual({ base: ['a'], candidate: [] });
  });
});
