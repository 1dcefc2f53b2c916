import { describe, expect, it } from 'vitest';
import type { SideSource } from '../../../api';
import {
  choiceOf,
  compareSearchOf,
  formatSource,
  parseSource,
  readCompareSearch,
  searchOfSources,
} from './compare-url';
import { EMPTY_SIDE } from './side-choice';

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

const SOURCES: [string, SideSource][] = [
  [`build:${id(1)}`, { type: 'build', build_id: id(1) }],
  [`deployment:${id(2)}`, { type: 'deployment', deployment_id: id(2) }],
  [`artifacts:${id(3)},${id(4)}`, { type: 'artifacts', artifact_ids: [id(3), id(4)] }],
  [`ref:${id(5)}:feature/a:b`, { type: 'ref', service_id: id(5), ref: 'feature/a:b' }],
  [
    `time:${id(5)}:${id(6)}:2026-11-19T08:00:00.000Z/2026-11-26T08:00:00.000Z`,
    {
      type: 'time_range',
      service_id: id(5),
      environment_id: id(6),
      begin: '2026-11-19T08:00:00.000Z',
      end: '2026-11-26T08:00:00.000Z',
    },
  ],
];

describe('parseSource and formatSource', () => {
  it.each(SOURCES)('convert %s to a source and back', (text, source) => {
    expect(parseSource(text)).toEqual(source);
    expect(formatSource(source)).toBe(text);
  });

  it.each([
    '',
    'build:',
    'build:main',
    `builds:${id(1)}`,
    `artifacts:${id(1)},x`,
    `ref:${id(1)}:`,
    `ref:${id(1)}:${'x'.repeat(301)}`,
    `time:${id(1)}:${id(2)}:2026-11-26T08:00:00Z/2026-11-19T08:00:00Z`,
    `time:${id(1)}:${id(2)}:yesterday/today`,
  ])('reject the damaged text %s', (text) => {
    expect(parseSource(text)).toBeNull();
  });
});

describe('search parameters of a comparison choice', () => {
  it.each(SOURCES)('restore %s with labels, service, search text and kind', (_, source) => {
    const choice = {
      base: {
        kind: 'label' as const,
        service: id(9),
        find: 'ma',
        source: { ...source, labels: [{ key: 'endpoint', value: '/a' }] },
      },
      candidate: { ...EMPTY_SIDE, kind: 'deployment' as const },
    };
    expect(choiceOf(readCompareSearch(compareSearchOf(choice)))).toEqual(choice);
  });

  it('keep the filter for samples without a label', () => {
    const read = readCompareSearch({ base: `build:${id(1)}`, baseLabels: [['tenant', null]] });
    expect(choiceOf(read).base.source?.labels).toEqual([{ key: 'tenant', value: null }]);
  });

  it('contain only the version when nothing is chosen', () => {
    expect(compareSearchOf({ base: EMPTY_SIDE, candidate: EMPTY_SIDE })).toEqual({ v: 1 });
  });

  it('drop invalid parts and keep the valid ones', () => {
    const read = readCompareSearch({
      v: 7,
      base: 'build:not-an-id',
      candidate: `build:${id(1)}`,
      baseBy: 'nothing',
      candidateLabels: 'x',
      baseFind: 12,
    });
    expect(choiceOf(read)).toEqual({
      base: EMPTY_SIDE,
      candidate: { ...EMPTY_SIDE, source: { type: 'build', build_id: id(1) } },
    });
  });

  it('from searchOfSources set the service on both sides', () => {
    const search = searchOfSources({
      service: id(5),
      candidate: { type: 'build', build_id: id(1) },
    });
    expect(choiceOf(search)).toEqual({
      base: { ...EMPTY_SIDE, service: id(5) },
      candidate: { ...EMPTY_SIDE, service: id(5), source: { type: 'build', build_id: id(1) } },
    });
  });
});
