import { describe, expect, it } from 'vitest';
import { guessSides } from './side-guess';

const at = (path: string, modified = 0) => ({ path, modified });

/** Returns b, c or - for the guessed side of each name. */
function drawn(names: string[], times: number[] = []): string {
  return guessSides(names.map((name, index) => at(name, times[index] ?? 0)))
    .sides.map((side) => side?.[0] ?? '-')
    .join('');
}

describe('guessing sides', () => {
  it.each([
    ['says so itself', ['base-1.pb.gz', 'base-2.pb.gz', 'candidate-1.pb.gz'], 'bbc'],
    ['before and after', ['cpu_after.pprof', 'cpu_before.pprof'], 'cb'],
    ['folders', ['old/cpu1.pb.gz', 'new/cpu1.pb.gz', 'new/cpu2.pb.gz'], 'bcc'],
    ['folders without a word', ['a/cpu.pb.gz', 'b/cpu.pb.gz'], 'bc'],
    ['versions, whatever the order', ['app-v1.10.0-cpu.pprof', 'app-v1.9.0-cpu.pprof'], 'cb'],
    [
      'a word that alternates',
      ['inline-cpu-1.pb.gz', 'inline-cpu-2.pb.gz', 'pool-cpu-1.pb.gz'],
      'bbc',
    ],
    ['two that only count', ['cpu.1.pb.gz', 'cpu.2.pb.gz'], 'bc'],
    ['many that only count are one side', ['cpu.1.pb.gz', 'cpu.2.pb.gz', 'cpu.3.pb.gz'], 'bbb'],
    ['a word that is only a name', ['base-1.pb', 'plus-1.pb', 'plus-bad.pb'], 'bcc'],
    [
      'a stray among many that say so',
      ['big.bin', 'new-1.pb', 'new-2.pb', 'old-1.pb', 'old-2.pb', 'old-3.pb'],
      '-ccbbb',
    ],
    ['one word only', ['baseline/1.pb.gz', 'whatever/1.pb.gz'], 'bc'],
  ])('%s', (_, names, sides) => expect(drawn(names)).toBe(sides));

  it('takes the commits, earlier files first', () => {
    const names = [
      '9c41e0a-cpu-1.pb.gz',
      '229227f-cpu-1.pb.gz',
      '229227f-trace.out',
      'growth-229227f.txt',
    ];
    const guess = guessSides(
      names.map((name) => at(name, name.includes('229227f') ? 0 : 86_400_000)),
    );
    expect(guess.sides).toEqual(['candidate', 'base', 'base', 'base']);
    expect(guess.labels).toEqual({ base: '229227f', candidate: '9c41e0a' });
  });

  it('leaves out a third commit instead of mixing it in', () =>
    expect(drawn(['aaaaaa1-cpu.pb.gz', 'bbbbbb2-cpu.pb.gz', 'cccccc3-cpu.pb.gz'])).toBe('bc-'));

  it('puts a single file on the base side and waits', () => {
    expect(guessSides([at('cpu.pprof')])).toEqual({
      sides: ['base'],
      labels: { base: '', candidate: '' },
      reason: '',
    });
  });
});
