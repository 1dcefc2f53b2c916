import { describe, expect, it } from 'vitest';
import { aSnapshot, aText } from '../../../testing/report-fixtures';
import { changed, dropped, moved, withText } from './report-blocks';
import { ALL_SCRUBBED } from './report-types';
import { parseScrubOptions, readReportSearch, readScrubSearch, scrubOf } from './report-url';

describe('URL of a preview', () => {
  it('names what is kept, and nothing when all is scrubbed', () => {
    expect(parseScrubOptions(ALL_SCRUBBED)).toBeUndefined();
    expect(parseScrubOptions({ ...ALL_SCRUBBED, hosts: false, users: false })).toBe('hosts-users');
  });

  it('restores every combination of scrub options', () => {
    for (let bits = 0; bits < 16; bits += 1) {
      const scrub = {
        labels: (bits & 1) > 0,
        paths: (bits & 2) > 0,
        hosts: (bits & 4) > 0,
        users: (bits & 8) > 0,
      };
      expect(scrubOf(parseScrubOptions(scrub))).toEqual(scrub);
    }
  });

  it('scrubs everything when it is invalid', () => {
    expect(scrubOf(undefined)).toEqual(ALL_SCRUBBED);
    expect(scrubOf('everything')).toEqual(ALL_SCRUBBED);
    expect(readScrubSearch({ keep: { a: 1 }, version: 'x' })).toEqual({
      keep: undefined,
      version: undefined,
    });
  });
});

describe('readReportSearch', () => {
  it.each([
    [{ version: 2 }, 2],
    [{ version: '3' }, 3],
    [{ version: 0 }, undefined],
    [{ version: -1 }, undefined],
    [{ version: 1.5 }, undefined],
    [{ version: 'newest' }, undefined],
    [{}, undefined],
  ])('reads the version of %o', (search, version) => {
    expect(readReportSearch(search)).toEqual({ version });
  });
});

describe('report parts in a request', () => {
  const blocks = [aSnapshot({ id: 'a' }), aText({ id: 'b' }), aText({ id: 'c' })];

  it('keep their order except for the moved one', () => {
    expect(moved(blocks, 0, 2)).toEqual([{ id: 'b' }, { id: 'c' }, { id: 'a' }]);
    expect(moved(blocks, 2, 0)).toEqual([{ id: 'c' }, { id: 'a' }, { id: 'b' }]);
  });

  it('contain only the changed fields', () => {
    expect(withText(blocks, 3, 'x').at(-1)).toEqual({ kind: 'text', markdown: 'x' });
    expect(changed(blocks, 'b', { markdown: 'x' })[1]).toEqual({ id: 'b', markdown: 'x' });
    expect(dropped(blocks, 'b')).toEqual([{ id: 'a' }, { id: 'c' }]);
  });
});
