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

describe('a bisect in words', () => {
  it('never says that something is quite sure or quite impossible unless it is', () => {
    expect(posteriorText(0.9996)).toBe('> 99.9%');
    expect(posteriorText(0.996)).toBe('99.6%');
    expect(posteriorText(0.0004)).toBe('< 0.1%');
    expect(posteriorText(0)).toBe('0%');
    expect(posteriorText(1)).toBe('100%');
  });

  it('names the most probable commit the culprit only once it is found', () => {
    expect(suspectName({ state: 'found' })).toBe('Culprit');
    expect(suspectName({ state: 'searching' })).toBe('Top suspect');
    expect(suspectName({ state: 'not-separable' })).toBe('Top suspect');
  });

  it('states the odds for the side they favour', () => {
    expect(oddsText(9)).toBe('9.0 to 1 for slower');
    expect(oddsText(1 / 40)).toBe('40 to 1 for not slower');
    expect(oddsText(1e6)).toBe('over 1,000 to 1 for slower');
    expect(oddsText(null)).toBe('');
  });

  it('calls a pseudo-version by its commit', () => {
    expect(versionText('v0.0.0-20260311175800-dcc66630de60')).toBe('dcc66630de');
    expect(versionText('v1.9.3-0.20260311175800-dcc66630de60')).toBe('dcc66630de');
    expect(versionText('v2.0.0+incompatible')).toBe('v2.0.0+incompatible');
  });

  it('states the times of a search', () => {
    expect([secondsText(45), secondsText(600), secondsText(10_320)]).toEqual([
      '45 s',
      '10 min',
      '2 h 52 min',
    ]);
  });
});

describe('labels of runners', () => {
  it('are written as name=value, and what is none is left out', () => {
    const labels = labelsOf(['zone=eu', 'query=a=b', 'nothing', '=x', 'zone = us']);
    expect(labels).toEqual({ zone: 'us', query: 'a=b' });
    expect(labelTexts(labels)).toEqual(['zone=us', 'query=a=b']);
    expect(hasLabels({ labels: { zone: 'us', query: 'a=b', size: 'l' } }, labels)).toBe(true);
    expect(hasLabels({ labels: { zone: 'us' } }, labels)).toBe(false);
  });

  it('stand in the one command as a shell reads them', () => {
    const labels = { zone: 'eu', owner: "Mira's team" };
    const command = runnerCommand(CHECKOUT, { server: 'http://x', token: 't', labels });
    expect(command).toContain(`--label zone=eu --label 'owner=Mira'\\''s team' --repo .`);
  });

  it('follow the single file of the server, if it has one', () => {
    const cli = cliCommand('http://x', ['linux-arm64']);
    expect(runnerCommand(cli, { server: 'http://x', token: 't' })).toBe(
      'curl -fsSo slowpath http://x/cli/linux-arm64 && chmod +x slowpath && SLOWPATH_URL=http://x SLOWPATH_TOKEN=t ./slowpath runner --repo . --measure ./measure.sh -- ./deploy.sh',
    );
  });
});

describe('levels of a bisect', () => {
  it('are one path: what was opened leads into the next', () => {
    const [top, deep] = chartLevels(aBisect());
    expect(top!.opened).toBe(1);
    expect(top!.bump).toBe('bumps libx v1.8.0 to v1.9.2');
    expect(top!.best).toEqual(['virtually certain', 'd1f07aa000']);
    expect(deep!.ends).toEqual(['v1.8.0', 'v1.9.2']);
    expect(deep!.marks).toEqual([{ place: 1, verdict: 'measuring' }]);
  });

  it('shows the deepest until another is chosen', () => {
    expect(shownLevel(aBisect(), null)!.key).toBe(DEPENDENCY_UPDATE);
    expect(shownLevel(aBisect(), '')!.repository).toBe('monorepo');
  });

  it('finds a candidate of many of which only some were sent', () => {
    const level = aBisect().levels[0]!;
    const many = {
      ...level,
      bars: { ...level.bars, posterior: [0, 0.004, 0, 0.996, 0] },
    };
    expect(candidateAt(many, 3)!.sha).toBe(DEPENDENCY_UPDATE);
    expect(candidateAt(many, 2)).toBeUndefined();
  });
});

describe('the report of a bisect', () => {
  it('states the levels, the numbers and the cost', () => {
    const text = makeBisectReportText(aBisect({ state: 'found' }));
    expect(text).toContain('v1.8.0 to v1.9.2');
    expect(text).toContain('4be1d07000');
    expect(text).toContain('2 deployments');
  });

  it('takes titles as text', () => {
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

describe('what is compared and what is changed', () => {
  it('compares a probe with the control of its round, else with all that was not slower', () => {
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

  it('sends only what was changed', () => {
    const before = editableSettings(aBisect());
    expect(changed(before, { ...before, stop_probability: 0.99 })).toEqual({
      stop_probability: 0.99,
    });
    expect(changed(before, before)).toEqual({});
  });
});
