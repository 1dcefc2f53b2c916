/** Texts about the drawn frames, and about those that are combined, not loaded or not filtered. */
import { formatCount } from '../format/format';

export type DrawnCounts = {
  /** The numbers of frames in the viewport that are drawn alone, and that are within rests. */
  drawn: number;
  narrow: number;
  /** Whether the viewport shows everything. */
  whole: boolean;
  nodesSent: number;
  nodesTotal: number;
  restState: 'none' | 'loading' | 'loaded' | 'failed';
  /** The number of unsent frames, to which a filter could not be applied. */
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

/** Returns the parts of the summary, each a separate statement. */
export function summarizeView(counts: DrawnCounts): string[] {
  const unfiltered =
    counts.unfiltered > 0 ? `${frames(counts.unfiltered)} not loaded and not filtered` : '';
  return [describeDrawn(counts), describeLoaded(counts), unfiltered].filter((part) => part !== '');
}
