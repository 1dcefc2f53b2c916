import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Finding } from '../../../../api';
import { aFinding } from '../../../../testing/api-factories';
import { at, server } from '../../../../testing/mock-api';
import { show } from '../../../../testing/render';
import { CausePanel } from './CausePanel';

const WORD = 'npm --prefix ~/slowpath run --silent slowpath --';

const serve = (service_id: string | null, name = '') =>
  server.use(
    http.get(at('/comparisons/c1/commits'), () =>
      HttpResponse.json({ service_id, base: null, candidate: null }),
    ),
    http.get(at('/services/s1'), () => HttpResponse.json({ id: 's1', name })),
  );

beforeEach(() => serve(null));

const panel = (changed: Partial<Finding> = {}) => {
  const shown = show(<CausePanel comparisonId="c1" finding={aFinding(changed)} number={2} />);
  return { ...shown, text: screen.getByRole('complementary').textContent };
};

describe('CausePanel', () => {
  it('shows the cause, the suggested fix, and the value to expect with the command that checks it', () => {
    const { text } = panel();
    expect(text).toContain('CauseGoroutines begin with a small stack');
    expect(text).toContain('Suggested fixKeep goroutines alive');
    expect(text).toContain(
      'How to checkStack growth (morestack) must fall from 726 µs per request to about 62 µs.',
    );
    expect(screen.getByRole('textbox', { name: 'Command' })).toHaveValue(
      `${WORD} collect localhost:6060 --profiles 10`,
    );
  });

  it.each<[Partial<Finding>, string]>([
    [
      { direction: 'better', base: 90, candidate: 30 },
      'must stay at about 30 µs per request, was 90 µs.',
    ],
    [{ base: 90, candidate: 30 }, 'must rise from 30 µs per request to about 90 µs.'],
    [{ base: 0 }, 'must fall from 726 µs per request to nothing.'],
    [{ kind: 'profile.function', subject: 'example.com/a/b.C' }, 'b.C must fall'],
    [
      {
        kind: 'trace.sched_delay',
        subject: 'main.batcher|network',
        sentence:
          'p99 scheduler latency of main.batcher woken by the network: 7.09 µs → 54.8 ms (×7,737).',
      },
      'How to checkp99 scheduler latency of main.batcher woken by the network must fall from',
    ],
    [
      { kind: 'trace.blame', subject: 'main.batcher|network', sentence: 'Of each wait.' },
      'How to checkmain.batcher, network must fall from',
    ],
  ])('words the expected value for %j', (changed, words) => {
    expect(panel(changed).text).toContain(words);
  });

  it.each<[Partial<Finding>, string | null]>([
    [{ profile_kind: 'heap' }, 'collect localhost:6060 --profiles 0 --snapshots heap'],
    [{ kind: 'trace.gc' }, 'collect localhost:6060 --profiles 0 --trace 5'],
    [{ kind: 'bench' }, null],
  ])('shows the command, if there is one, for %j', (changed, command) => {
    panel(changed);
    const field = screen.queryByRole<HTMLInputElement>('textbox', { name: 'Command' });
    expect(field?.value ?? null).toBe(command === null ? null : `${WORD} ${command}`);
  });

  it.each([
    ['ingester', '--out ingester'],
    ["it's $HOME", "--out './it'\\''s $HOME'"],
    ['-rf', "--out './-rf'"],
  ])('passes the quoted name of the service to the command: %s', async (name, words) => {
    serve('s1', name);
    panel();
    const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Command' });
    await waitFor(() =>
      expect(field).toHaveValue(`${WORD} collect localhost:6060 --profiles 10 ${words}`),
    );
  });

  it('leaves out an unknown cause and an unknown fix', () => {
    expect(panel({ mechanism: '', advice: '' }).text).not.toMatch(/Cause|Suggested/u);
  });
});
