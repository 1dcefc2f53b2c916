import { describe, expect, it } from 'vitest';
import { anArtifact } from '../../../testing/api-factories';
import { sidesOfSelection } from './selection-sides';

const at = (id: string, minute: number, changed: object = {}) => ({
  ...anArtifact({ id, profile: null, created_at: `2026-11-21T09:${minute}:00Z` }),
  ...changed,
});

describe('sidesOfSelection', () => {
  it('assigns artifacts of two builds by build, with the older one as base', () => {
    const selected = [
      at('new', 30, { build_id: 'b2' }),
      at('old', 10, { build_id: 'b1' }),
      at('new-2', 40, { build_id: 'b2' }),
    ];
    expect(sidesOfSelection(selected)).toEqual({ base: ['old'], candidate: ['new', 'new-2'] });
  });

  it('assigns artifacts by words in their names', () => {
    const selected = [at('a', 10, { name: 'after.pb.gz' }), at('b', 20, { name: 'before.pb.gz' })];
    expect(sidesOfSelection(selected)).toEqual({ base: ['b'], candidate: ['a'] });
  });

  it('assigns the older half to the base and the newer half to the candidate otherwise', () => {
    const same = { name: 'cpu.pb.gz' };
    const selected = [at('c', 30, same), at('a', 10, same), at('b', 20, same)];
    expect(sidesOfSelection(selected)).toEqual({ base: ['a', 'b'], candidate: ['c'] });
  });

  it('assigns a single artifact to the base', () => {
    expect(sidesOfSelection([at('a', 10)])).toEqual({ base: ['a'], candidate: [] });
  });
});
