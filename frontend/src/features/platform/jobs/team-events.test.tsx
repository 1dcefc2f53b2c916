import { describe, expect, it } from 'vitest';
import { touchedBy } from './team-events';
import { activityOf, runningText } from './job-wording';

describe('touchedBy', () => {
  it('returns the job and its subject for an event of a job', () => {
    expect(touchedBy('job', { subject: { kind: 'comparison', id: '1' } })).toEqual([
      'job',
      'comparison',
    ]);
    expect(touchedBy('job', {})).toEqual(['job']);
    expect(touchedBy('job', { subject: { kind: 'notification', id: '1' } })).toEqual([
      'job',
      'notification',
      'notification_channel',
    ]);
  });

  it('returns the comparison for an event of a view', () =>
    expect(touchedBy('view', { id: '1', state: 'done' })).toEqual(['comparison']));

  it('returns all kinds for a stale event, and few for one of a comment or a bisect', () => {
    expect(touchedBy('stale', {})).toEqual([
      'job',
      'artifact',
      'comparison',
      'export',
      'comment',
      'mention',
      'activity',
      'bisect',
      'regression',
      'build',
    ]);
    expect(touchedBy('comment', {})).toEqual(['comment', 'activity', 'inbox']);
    expect(touchedBy('bisect', {})).toEqual(['bisect', 'inbox']);
  });
});

describe('Text of running jobs', () => {
  it('counts jobs by activity, without waiting notifications', () => {
    const jobs = [
      'artifacts.decode',
      'comparisons.compute',
      'artifacts.decode',
      'notifications.deliver',
    ].map((name) => ({ name, state: 'waiting' as const }));
    expect(runningText(jobs)).toBe('2 decoding, 1 comparing');
    expect(runningText([])).toBe('');
  });

  it('describes a job of an unknown name as in progress', () =>
    expect(activityOf('traces.weave')).toBe('in progress'));
});
