import { describe, expect, it } from 'vitest';
import { aBisect, aProbe, DEPENDENCY_UPDATE } from '../../../../testing/bisect-fixtures';
import { CHECKOUT, cliCommand } from '../../../platform/cli';
import { candidateAt, chartLevels, shownLevel } from '../detail/bisect-levels';
import { makeBisectReportText } from '../detail/bisect-report-text';
import { hasLabels, labelTexts, labelsOf } from './runner-labels';
import { artifactsOf } from './bisect-queries';
import { editableSettings, changed } from './bisect-settings';
import {
  posteriorText,
  oddsText,
  runnerCommand,
  secondsText,
  suspectName,
  versionText,
} from './bisect-wording';

describe('bisect-wording', () => {
  it('posteriorText returns 0% and 100% only for exactly these probabilities', () => {
    expect(posteriorText(0.9996)).toBe('> 99.9%');
    expect(posteriorText(0.996)).toBe('99.6%');
    expect(posteriorText(0.0004)).toBe('< 0.1%');
    expect(posteriorText(0)).toBe('0%');
    expect(posteriorText(1)).toBe('100%');
  });

  it('suspectName returns "Culprit" only once the culprit is found', () => {
    expect(suspectName({ state: 'found' })).toBe('Culprit');
    expect(suspectName({ state: 'searching' })).toBe('Top suspect');
    expect(suspectName({ state: 'not-separable' })).toBe('Top suspect');
  });

  it('oddsText returns the odds for the more probable verdict', () => {
    expect(oddsText(9)).toBe('9.0 to 1 for slower');
    expect(oddsText(1 / 40)).toBe('40 to 1 for not slower');
    expect(oddsText(1e6)).toBe('over 1,000 to 1 for slower');
    expect(oddsText(null)).toBe('');
  });

  it('versionText shortens a pseudo-version to its commit', () => {
    expect(versionText('v0.0.0-20260311175800-dcc66630de60')).toBe('dcc66630de');
    expect(versionText('v1.9.3-0.20260311175800-dcc66630de60')).toBe('dcc66630de');
    expect(versionText('v2.0.0+incompatible')).toBe('v2.0.0+incompatible');
  });

  it('secondsText returns seconds, minutes, or hours with minutes', () => {
    expect([secondsText(45), secondsText(600), secondsText(10_320)]).toEqual([
      '45 s',
      '10 min',
      '2 h 52 min',
    ]);
  });
});

describe('runner labels', () => {
  it('are parsed from name=value texts, without malformed ones, and matched with runners', () => {
    const labels = labelsOf(['zone=eu', 'query=a=b', 'nothing', '=x', 'zone = us']);
    expect(labels).toEqual({ zone: 'us', query: 'a=b' });
    expect(labelTexts(labels)).toEqual(['zone=us', 'query=a=b']);
    expect(hasLabels({ labels: { zone: 'us', query: 'a=b', size: 'l' } }, labels)).toBe(true);
    expect(hasLabels({ labels: { zone: 'us' } }, labels)).toBe(false);
  });
});

describe('runnerCommand', () => {
  it('quotes labels for the shell', () => {
    const labels = { zone: 'eu', owner: "Mira's team" };
    const command = runnerCommand(CHECKOUT, { server: 'http://x', token: 't', labels });
    expect(command).toContain(`--label zone=eu --label 'owner=Mira'\\''s team' --repo .`);
  });

  it('downloads the CLI from the server, and has no labels by default', () => {
    const cli = cliCommand('http://x', ['linux-arm64']);
    expect(runnerCommand(cli, { server: 'http://x', token: 't' })).toBe(
      'curl -fsSo slowpath http://x/cli/linux-arm64 && chmod +x slowpath && SLOWPATH_URL=http://x SLOWPATH_TOKEN=t ./slowpath runner --repo . --measure ./measure.sh -- ./deploy.sh',
    );
  });
});

describe('bisect-levels', () => {
  it('chartLevels returns the opened candidate of a level, and boundaries and probes of the next', () => {
    const [top, deep] = chartLevels(aBisect());
    expect(top!.opened).toBe(1);
    expect(top!.bump).toBe('bumps libx v1.8.0 to v1.9.2');
    expect(top!.best).toEqual(['virtually certain', 'd1f07aa000']);
    expect(deep!.ends).toEqual(['v1.8.0', 'v1.9.2']);
    expect(deep!.marks).toEqual([{ place: 1, verdict: 'measuring' }]);
  });

  it('shownLevel returns the deepest level unless another one is chosen', () => {
    expect(shownLevel(aBisect(), null)!.key).toBe(DEPENDENCY_UPDATE);
    expect(shownLevel(aBisect(), '')!.repository).toBe('monorepo');
  });

  it.each([
    ['of different posteriors', [0.004, 0.996], [0, 0.004, 0, 0.996, 0], [1, 3]],
    ['of equal posteriors, one of them probed', [0.25, 0.25], [0.25, 0.25, 0.25, 0.25], [0, 3]],
    ['whose posteriors were rounded for the bars', [1 / 32, 0.9684], [0, 0.0312, 0.968], [1, 2]],
  ])('candidateAt finds sent candidates %s', (_, sent, posterior, places) => {
    const level = aBisect().levels[0]!;
    const probes: [number, number][] = [[places[1]!, 1]];
    const many = {
      ...level,
      candidates: level.candidates.map((one, at) => ({ ...one, posterior: sent[at]! })),
      bars: { ...level.bars, posterior, probes },
    };
    const found = posterior.map((_bar, place) => candidateAt(many, place)?.sha);
    const expected = posterior.map((_bar, place) => level.candidates[places.indexOf(place)]?.sha);
    expect(found).toEqual(expected);
  });

  it('chartLevels returns the position of the opened candidate when not all were sent', () => {
    const bisect = aBisect();
    const [top, deep] = bisect.levels;
    const bars = { posterior: [0, 0.004, 0, 0.996, 0], prior: [], probes: [] };
    const levels = [{ ...top!, bars }, deep!];
    expect(chartLevels({ ...bisect, levels })[0]!.opened).toBe(3);
  });
});

describe('makeBisectReportText', () => {
  it('contains the version range, the commit of the culprit and the number of deployments', () => {
    const text = makeBisectReportText(aBisect({ state: 'found' }));
    expect(text).toContain('v1.8.0 to v1.9.2');
    expect(text).toContain('4be1d07000');
    expect(text).toContain('2 deployments');
  });

  it('escapes Markdown and HTML in commit titles', () => {
    const bisect = aBisect();
    const level = bisect.levels[1]!;
    const culprit = { ...level.culprit!, title: '[x](https://evil.example) <b>' };
    const text = makeBisectReportText({
      ...bisect,
      levels: [bisect.levels[0]!, { ...level, culprit }],
    });
    expect(text).not.toContain('[x](');
    expect(text).not.toContain('<b>');
  });
});

describe('artifacts and settings of a bisect', () => {
  it('artifactsOf returns the control as good side, else all probes that were not slower', () => {
    const window = aProbe().measurements[0]!;
    const probes = [
      aProbe({ number: 1, measurements: [{ ...window, artifact_ids: ['slow'] }] }),
      aProbe({
        number: 2,
        candidate: 'x',
        verdict: 'not-slower',
        measurements: [{ ...window, artifact_ids: ['fine'] }],
      }),
      aProbe({
        number: 3,
        candidate: 'good',
        purpose: 'control',
        measurements: [
          { ...window, artifact_ids: ['control'] },
          { ...window, invalidated: true, artifact_ids: ['annulled'] },
        ],
      }),
    ];
    expect(artifactsOf(aBisect({ probes }), 1)).toEqual({ good: ['control'], probe: ['slow'] });
    expect(artifactsOf(aBisect({ probes: probes.slice(0, 2) }), 1).good).toEqual(['fine']);
  });

  it('changed returns only the settings that differ', () => {
    const before = editableSettings(aBisect());
    expect(changed(before, { ...before, stop_probability: 0.99 })).toEqual({
      stop_probability: 0.99,
    });
    expect(changed(before, before)).toEqual({});
  });
});
