import { describe, expect, it } from 'vitest';
import type { BisectProposalOut } from '../../../../api';
import { DEFAULT_SETTINGS } from '../shared/bisect-settings';
import { choicesUrl, readChoices } from './start-link';
import { NOTHING_CHOSEN, type StartChoice } from './start-request';

const REPOSITORY = '0190d2f0-0000-7000-8000-0000000000aa';
const PAGE = 'https://slowpath.example/t/shop/bisects/new?service=1';
const offer = {
  repository: { id: REPOSITORY, name: 'mono' },
  good: { sha: 'a'.repeat(40), title: 'Good', at: '2026-11-20T10:00:00Z' },
  bad: null,
  signatures: [{ kind: 'custom', subject: '' }],
} as unknown as BisectProposalOut;
const CHOICE: StartChoice = {
  ...NOTHING_CHOSEN,
  bad: { name: 'v1.2 <b>', sha: 'b'.repeat(40), title: 'Bad', at: null },
  settings: {
    ...DEFAULT_SETTINGS,
    slots: 3,
    runner_labels: { zone: 'eu' },
    deployment_hours: { days: ['mon'], from: '09:00', to: '17:00', zone: 'UTC' },
  },
};
const fragmentOf = (value: unknown) => `#draft=${encodeURIComponent(JSON.stringify(value))}`;

describe('link to the start form of a bisect', () => {
  it('holds the choices and the proposed values in the fragment', () => {
    const url = choicesUrl(`${PAGE}#former`, offer, CHOICE);
    expect(url.startsWith(`${PAGE}#draft=`)).toBe(true);
    expect(readChoices(new URL(url).hash)).toEqual({
      ...CHOICE,
      repositoryId: REPOSITORY,
      good: { name: 'a'.repeat(10), ...offer.good },
      signature: 'custom ',
    });
  });

  it.each([
    ['', 'none'],
    ['#draft=', 'empty'],
    ['#draft=%', 'not encoded'],
    ['#draft=null', 'not an object'],
    [fragmentOf({ ...CHOICE, good: { ...CHOICE.bad, sha: '$(id)' } }), 'not a commit'],
    [fragmentOf({ ...CHOICE, settings: { deployment_hours: 'always' } }), 'invalid hours'],
    [fragmentOf({ ...CHOICE, settings: { runner_labels: { zone: 1 } } }), 'invalid labels'],
    [fragmentOf({ ...CHOICE, signature: 'x'.repeat(20_000) }), 'too long'],
  ])('has no effect with the fragment %s (%s)', (fragment) => {
    expect(readChoices(fragment)).toBeNull();
  });

  it('drops unknown fields and completes the settings with defaults', () => {
    const read = readChoices(fragmentOf({ ...CHOICE, other: 1, settings: { slots: 2, evil: 1 } }));
    expect(read).toEqual({ ...CHOICE, settings: { ...DEFAULT_SETTINGS, slots: 2 } });
  });
});
