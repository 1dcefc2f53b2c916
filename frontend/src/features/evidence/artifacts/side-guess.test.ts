import { describe, expect, it } from 'vitest';
import { guessSides } from './side-guess';

const at = (path: string, modified = 0) => ({ path, modified });

/** Returns b, c or - for the guessed side of each name. */
function drawn(names: string[], times: number[] = []): string {
  return guessSides(names.map((name, index) => at(name, times[index] ?? 0)))
    .sides.map((side) => side?.[0] ?? '-')
    .join('');
}

describe('guessSides', () => {
  it.each([
    ['names with base and candidate', ['base-1.pb.gz', 'base-2.pb.gz', 'candidate-1.pb.gz'], 'bbc'],
    ['names with before and after', ['cpu_after.pprof', 'cpu_before.pprof'], 'cb'],
    ['folders named old and new', ['old/cpu1.pb.gz', 'new/cpu1.pb.gz', 'new/cpu2.pb.gz'], 'bcc'],
    ['folders without a known word', ['a/cpu.pb.gz', 'b/cpu.pb.gz'], 'bc'],
    ['versions in any order', ['app-v1.10.0-cpu.pprof', 'app-v1.9.0-cpu.pprof'], 'cb'],
    [
      'names with two different words at one position',
      ['inline-cpu-1.pb.gz', 'inline-cpu-2.pb.gz', 'pool-cpu-1.pb.gz'],
      'bbc',
    ],
    ['two names with numbers only', ['cpu.1.pb.gz', 'cpu.2.pb.gz'], 'bc'],
    ['three names with numbers only', ['cpu.1.pb.gz', 'cpu.2.pb.gz', 'cpu.3.pb.gz'], 'bbb'],
    ['names of which too few show a side', ['base-1.pb', 'plus-1.pb', 'plus-bad.pb'], 'bcc'],
    [
      'one name without a side among many with one',
      ['big.bin', 'new-1.pb', 'new-2.pb', 'old-1.pb', 'old-2.pb', 'old-3.pb'],
      '-ccbbb',
    ],
    ['folders of which only one shows a side', ['baseline/1.pb.gz', 'whatever/1.pb.gz'], 'bc'],
  ])('guesses the sides of %s', (_, names, sides) => expect(drawn(names)).toBe(sides));

  it('guesses the sides by commits, with the commit of the older files as base', () => {
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

  it('leaves files of a third commit without a side', () =>
    expect(drawn(['aaaaaa1-cpu.pb.gz', 'bbbbbb2-cpu.pb.gz', 'cccccc3-cpu.pb.gz'])).toBe('bc-'));

  it('assigns a single file to the base, without labels and a reason', () => {
    expect(guessSides([at('cpu.pprof')])).toEqual({
      sides: ['base'],
      labels: { base: '', candidate: '' },
      reason: '',
    });
  });
});
