/** Says what is drawn and what is not: nothing is left out without a word. */
import { formatCount } from '../format/format';

export type DrawnCounts = {
  /** Frames drawn one by one in the window, and those in rests of it. */
  drawn: number;
  narrow: number;
  /** Whether the window shows everything. */
  whole: boolean;
  nodesSent: number;
  nodesTotal: number;
  restState: 'none' | 'loading' | 'loaded' | 'failed';
  /** Frames that were never sent, so that a filter could not look at them. */
  unfiltered: number;
};

function frames(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'frame' : 'frames'}`;
}

function describeDrawn({ drawn, narrow, whole }: DrawnCounts): string {
  const place = whole ? '' : ' here';
  if (narrow === 0) return whole ? `all ${frames(drawn)} drawn` : `${frames(drawn)} drawn${place}`;
  return `${frames(drawn)} drawn${place}, ${formatCount(narrow)} too narrow, combined`;
}

function describeLoaded({ nodesSent, nodesTotal, restState }: DrawnCounts): string {
  if (nodesSent >= nodesTotal) return '';
  const showing = `showing the ${formatCount(nodesSent)} largest of ${formatCount(nodesTotal)}`;
  if (restState === 'loading') return `${showing}, rest is loading`;
  if (restState === 'failed') return `${showing}, the rest could not be loaded`;
  return `${showing}, open a combined frame to load the rest`;
}

/** The parts of the summary, each a separate statement. */
export function summarizeView(counts: DrawnCounts): string[] {
  const unfiltered =
    counts.unfiltered > 0 ? `${frames(counts.unfiltered)} not loaded and not filtered` : '';
  return [describeDrawn(counts), describeLoaded(counts), unfiltered].filter((part) => part !== '');
}
