import { describe, expect, it } from 'vitest';
import { anArtifact } from '../../../testing/api-factories';
import type { TrayItem } from './tray-types';
import { summarizeUploads } from './upload-summary';

type Fate = 'decoded' | 'invalid' | 'failed' | 'decoding' | 'sending' | 'stopped';

function summaryOf(...fates: Fate[]) {
  const artifacts = new Map(
    fates.flatMap((state, index) =>
      state === 'sending' || state === 'stopped'
        ? []
        : [[`a${index}`, anArtifact({ id: `a${index}`, state })] as const],
    ),
  );
  const items = fates.map((fate, index): TrayItem => {
    const sent = artifacts.has(`a${index}`);
    return {
      key: `${index}`,
      name: 'cpu.pb.gz',
      path: 'cpu.pb.gz',
      file: new File([], 'cpu.pb.gz'),
      sizeBytes: 0,
      modified: 0,
      drop: 0,
      side: 'base',
      placed: false,
      phase: sent ? 'sent' : fate === 'stopped' ? 'stopped' : 'sending',
      sentBytes: 0,
      error: null,
      artifactId: sent ? `a${index}` : null,
      batch: null,
      facts: {},
    };
  });
  return summarizeUploads(items, artifacts);
}

describe('summarizeUploads', () => {
  it('returns an empty summary without files', () => {
    expect(summaryOf()).toEqual({ words: '', foot: '', underWay: 0 });
  });

  it('counts the files with each outcome', () => {
    const { words, underWay } = summaryOf(
      'decoded',
      'decoded',
      'invalid',
      'failed',
      'stopped',
      'sending',
      'decoding',
    );
    expect(words).toBe('7 files · 2 decoded, 2 in progress, 2 rejected, 1 stopped');
    expect(underWay).toBe(2);
    expect(summaryOf('decoded').words).toBe('1 file · 1 decoded');
  });

  it.each<[Fate[], string]>([
    [['decoded', 'decoded'], ''],
    [['invalid', 'stopped'], ''],
    [['invalid', 'decoded'], 'One rejected; the other is unaffected.'],
    [['stopped', 'decoded', 'sending'], 'One stopped; the others are unaffected.'],
    [
      ['invalid', 'stopped', 'decoded', 'decoded'],
      '1 rejected, 1 stopped; the others are unaffected.',
    ],
    [['failed', 'invalid', 'decoded', 'decoded'], '2 rejected; the others are unaffected.'],
  ])('returns for the states %s the footer: %s', (fates, foot) => {
    expect(summaryOf(...fates).foot).toBe(foot);
  });
});
