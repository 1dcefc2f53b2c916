import { fireEvent, render, screen } from '@testing-library/react';
import { createRef } from 'react';
import { describe, expect, test } from 'vitest';
import { pruneCallGraph } from '../../engine/flame/call-graph-pruning';
import { readDiffPart } from '../../engine/flame/diff-part';
import { openTree } from '../../engine/flame/diff-tree';
import { unitOf } from '../../engine/format/format';
import { drawnDiff } from '../../testing/diff-fixtures';
import { CallGraph, type CallGraphHandle } from './CallGraph';
import { placeCallGraph } from './call-graph-layout';

const TEXT = `
main 0 0
  handle 0 10e6
    read 0 60e6 0 r
    write 0 20e6
`;
const UNIT = unitOf('nanoseconds');

const graphOf = (text: string) =>
  pruneCallGraph(openTree(readDiffPart(drawnDiff(text))), { base: 1, candidate: 1 });

function shown(text = TEXT) {
  const selected: string[] = [];
  const handle = createRef<CallGraphHandle>();
  render(
    <CallGraph
      ref={handle}
      graph={graphOf(text)}
      unit={UNIT}
      oneSided
      selected="handle"
      onSelect={(name) => selected.push(name)}
      label="Call graph"
    />,
  );
  return { selected, handle };
}

const node = (name: RegExp) => screen.getByRole('button', { name });

describe('placeCallGraph', () => {
  test('places callers above callees and enlarges functions with more self cost', () => {
    const { nodes } = placeCallGraph(graphOf(TEXT), UNIT, true);
    const of = (name: string) => nodes.find(({ text }) => text === name)!;
    expect(of('main').y).toBeLessThan(of('handle').y);
    expect(of('handle').y).toBeLessThan(of('read').y);
    expect(of('read').fontPx).toBeGreaterThan(of('write').fontPx);
  });

  test('draws heavier calls wider', () => {
    const { nodes, edges } = placeCallGraph(graphOf(TEXT), UNIT, true);
    const to = (name: string) =>
      edges.find(({ callee }) => nodes.find((each) => each.text === name)?.name === callee)!;
    expect(to('read').linePx).toBeGreaterThan(to('write').linePx);
  });

  test('shows the candidate value first in a diff', () => {
    const { nodes } = placeCallGraph(graphOf('main 0 0\n  work 10e6 30e6'), UNIT, false);
    expect(nodes.find(({ text }) => text === 'work')?.lines[1]).toBe('30 ms, was 10 ms');
  });
});

describe('CallGraph', () => {
  test('labels each function with its values and the number of callers and callees', () => {
    shown();
    expect(node(/^handle/)).toHaveAccessibleName(
      'handle, total 90 ms (100%), self 10 ms (11.1%), callers: 1, callees: 2',
    );
    expect(node(/^handle/)).toHaveAttribute('aria-pressed', 'true');
  });

  test('is one Tab stop, and arrow keys move to callers and the heaviest callee', () => {
    const { selected } = shown();
    expect(screen.getAllByRole('button').filter(({ tabIndex }) => tabIndex === 0)).toHaveLength(5);
    node(/^handle/).focus();
    fireEvent.keyDown(node(/^handle/), { key: 'ArrowDown' });
    expect(node(/^read/)).toHaveFocus();
    fireEvent.keyDown(node(/^read/), { key: 'Enter' });
    expect(selected).toEqual(['read']);
    fireEvent.keyDown(node(/^read/), { key: 'ArrowUp' });
    expect(node(/^handle/)).toHaveFocus();
  });

  test('exports SVG without references to the page and with markup in names escaped', () => {
    const { handle } = shown('main 0 0\n  <script>alert(1)</script> 0 10e6');
    const svg = handle.current?.exportSvg() ?? '';
    expect(svg).toMatch(/^<svg /u);
    expect(svg).not.toContain('<script>');
    expect(svg).not.toContain('var(--');
    expect(svg).not.toContain('class=');
  });
});
