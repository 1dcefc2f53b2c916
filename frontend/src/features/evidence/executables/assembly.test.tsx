import { screen, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { AssemblyDocument, AssemblyInstruction, AssemblyListing } from '../../../api';
import { at, problem, server } from '../../../testing/mock-api';
import { show } from '../../../testing/render';
import Assembly from './Assembly';
import { assemblyRows, listingText, sampleText } from './assembly-rows';

const instruction = (changed: Partial<AssemblyInstruction>): AssemblyInstruction => ({
  offset: 0,
  text: 'MOVQ AX, BX',
  file: 0,
  line: 16,
  function: 0,
  call: '',
  self: 0,
  total: 0,
  ...changed,
});

const listing = (
  instructions: AssemblyInstruction[],
  changed: Partial<AssemblyListing> = {},
): AssemblyListing => ({
  build: { go: 'go1.26.8', arch: 'amd64', build_id: 'a', pgo: null },
  name: 'ident.Clone',
  start_line: 8,
  size: 286,
  frame: 1056,
  omitted: 0,
  missing: null,
  inlined_in: [],
  files: ['/src/ident/clone.go', '/go/src/sync/atomic/type.go'],
  functions: ['ident.Clone', 'sync/atomic.(*Int64).Add'],
  samples: { type: '', unit: '', used: 0, profiles: 4, total: 0, reason: 'other-build' },
  instructions,
  ...changed,
});

const PAIR: AssemblyDocument = {
  version: 1,
  function: 'ident.Clone',
  base: listing([
    instruction({ text: 'SUBQ $0x30, SP' }),
    instruction({ offset: 4, text: 'LOCK XADDQ CX, 0(DX)', file: 1, line: 128, function: 1 }),
    instruction({ offset: 9, text: 'CALL runtime.memmove(SB)', call: 'runtime.memmove' }),
  ]),
  candidate: listing([
    instruction({ text: 'SUBQ $0x38, SP' }),
    instruction({ offset: 4, text: 'LOCK XADDQ CX, 0(DX)', file: 1, line: 128, function: 1 }),
    instruction({ offset: 9, text: 'CALL ident.cloneBytes(SB)', call: 'ident.cloneBytes' }),
  ]),
  rows: [
    { base: 0, candidate: 0, same: true },
    { base: 1, candidate: 1, same: true },
    { base: 2, candidate: null, same: false },
    { base: null, candidate: 2, same: false },
  ],
};

describe('assembly rows', () => {
  const texts = { base: new Map([[16, '\treturn clone(b)']]) };

  it('have each source line above the instructions compiled from it', () => {
    const rows = assemblyRows(PAIR, texts);
    expect(rows.map((row) => (row.kind === 'code' ? row.change : 'line'))).toEqual([
      'line',
      'same',
      'line',
      'same',
      'line',
      'removed',
      'line',
      'added',
    ]);
    expect(rows[0]).toMatchObject({
      base: { place: 'clone.go:16', inlined: null, text: 'return clone(b)' },
      candidate: { place: 'clone.go:16', text: '' },
    });
    expect(rows[2]).toMatchObject({
      base: { place: 'type.go:128', inlined: 'sync/atomic.(*Int64).Add' },
    });
    expect(rows[6]).toMatchObject({ base: null });
  });

  it('are those of the candidate if the base has no executable', () => {
    const rows = assemblyRows({ ...PAIR, base: null, rows: [] }, {});
    expect(rows.filter((row) => row.kind === 'code').map(({ change }) => change)).toEqual([
      'same',
      'same',
      'same',
    ]);
  });

  it('have shares of samples, and a heading with sizes and the number of profiles', () => {
    const samples = { type: 'cpu', unit: 'ns', used: 4, profiles: 4, total: 200, reason: null };
    const one = listing([], { samples });
    expect(sampleText(one, instruction({ self: 10, total: 10 }))).toBe('5%');
    expect(sampleText(one, instruction({ self: 10, total: 50 }))).toBe('5% (25%)');
    expect(sampleText(one, instruction({}))).toBe('');
    const text = 'Frame 1,056 B, code 286 B. Samples of 4 of 4 profiles (cpu).';
    expect(listingText(one)).toBe(text);
    expect(listingText({ ...one, name: 'main.before' }, 'main.after')).toBe(`main.before. ${text}`);
  });

  it('are explained if the function is missing, inlined or shown only in part', () => {
    expect(listingText(listing([], { missing: 'absent' }))).toMatch(/no such function/u);
    const inlined = listing([], { missing: 'inlined', inlined_in: ['ingester/ident.Clone'] });
    expect(listingText(inlined)).toBe('Every call is inlined, in ingester/ident.Clone.');
    expect(listingText(listing([], { omitted: 4096 }))).toMatch(/last 4,096 B are not shown/u);
  });
});

describe('Assembly', () => {
  const path = at('/comparisons/c1/assemblies');
  const row = { id: 'a1', function: 'ident.Clone', state: 'done', document: PAIR, problem: null };

  it('polls until the assembly is computed, and shows both sides in one table', async () => {
    const states = ['waiting', 'done'];
    server.use(
      http.post(path, () => {
        const state = states.shift() ?? 'done';
        return HttpResponse.json({ ...row, state, document: state === 'done' ? PAIR : null });
      }),
    );
    show(<Assembly of={{ comparison_id: 'c1' }} name="ident.Clone" />);
    const table = await screen.findByRole(
      'table',
      { name: 'Assembly of ident.Clone' },
      { timeout: 3000 },
    );
    expect(table).toHaveTextContent('0009 CALL runtime.memmove(SB)');
    expect(screen.getByTitle('calls ident.cloneBytes')).toHaveAttribute('data-change', 'candidate');
    expect(screen.getAllByText(/profiles are of another build/u)).toHaveLength(2);
  });

  it('shows only the columns of the build that has the function', async () => {
    const base = listing([], { missing: 'absent' });
    const document = { ...PAIR, base };
    server.use(http.post(path, () => HttpResponse.json({ ...row, document })));
    show(<Assembly of={{ comparison_id: 'c1' }} name="ident.Clone" />);
    const table = await screen.findByRole('table', { name: 'Assembly of ident.Clone' });
    const heads = within(table).getAllByRole('columnheader');
    expect(heads.map(({ textContent }) => textContent)).not.toContain('Base');
    expect(heads.map(({ textContent }) => textContent)).toContain('Candidate');
    expect(screen.getByText(/no such function/u)).toBeVisible();
  });

  it('shows why the assembly cannot be computed', async () => {
    server.use(
      http.post(path, () =>
        problem(404, { title: 'No executable', detail: 'No executable of the base is stored.' }),
      ),
    );
    show(<Assembly of={{ comparison_id: 'c1' }} name="ident.Clone" />);
    expect(await screen.findByRole('alert')).toHaveTextContent('No executable of the base');
  });
});
