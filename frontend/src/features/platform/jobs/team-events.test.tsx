import { describe, expect, it } from 'vitest';
import { touchedBy } from './team-events';
import { activityOf, runningText } from './job-wording';

describe('an event', () => {
  it('of a job has its subject read again too: its progress is shown there', () => {
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

  it('of a view is about its comparison', () =>
    expect(touchedBy('view', { id: '1', state: 'done' })).toEqual(['comparison']));

  it('that says nothing certain has everything read again', () => {
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

describe('what is under way', () => {
  it('is counted by what it does', () => {
    const jobs = [
      'artifacts.decode',
      'comparisons.compute',
      'artifacts.decode',
      'notifications.deliver',
    ].map((name) => ({ name, state: 'waiting' as const }));
    expect(runningText(jobs)).toBe('2 decoding, 1 comparing');
    expect(runningText([])).toBe('');
  });

  it('has a word even for a job that is new here', () =>
    expect(activityOf('traces.weave')).toBe('in progress'));
});
