/**
 * The part of the graph that shows a finding: its function, or its attributed caller. No side
 * effects.
 */
import type { Finding } from '../../../../api';
import { namesKey, type FlameView } from '../../../../engine/flame/flame-view';
import type { ComparisonView } from './comparison-url';
import { pathTo } from './comparison-wording';
import type { RequestedView } from './selected-view';

/** `key` is of the path; `name` is that of its last function. */
export type FindingZoom = { number: number; key: string; name: string };

/** Returns the chosen finding, or the first one if none is chosen. */
export function shownFinding(
  findings: readonly Finding[],
  chosen: number | null,
): { finding: Finding; index: number } | null {
  const index = chosen ?? 0;
  const finding = findings[index];
  return finding === undefined ? null : { finding, index };
}

/** Returns the names of the frames from the outermost to the cause; empty if they are unknown. */
function pathOfFinding(finding: Finding): string[] {
  if (finding.kind === 'profile.function') return [finding.subject];
  const caller = finding.attributed_callers[0];
  return caller === undefined ? [] : pathTo(caller);
}

/**
 * Returns where the graph zooms to; null if the finding is not about the profiles that are shown.
 */
export function zoomOfFinding(
  findings: readonly Finding[],
  chosen: number | null,
  wanted: RequestedView,
): FindingZoom | null {
  const shown = shownFinding(findings, chosen);
  if (!shown?.finding.kind.startsWith('profile.')) return null;
  const { profile_kind: kind } = shown.finding;
  if ((kind !== '' && kind !== wanted.kind) || wanted.granularity !== 'function') return null;
  const path = pathOfFinding(shown.finding);
  return path.length === 0
    ? null
    : { number: shown.index + 1, key: namesKey(path), name: path.at(-1)! };
}

/**
 * Returns the view for the graph: zoomed to the finding, unless another zoom or the whole graph was
 * chosen.
 */
export function flameAtFinding(view: ComparisonView, zoom: FindingZoom | null): FlameView {
  const { flame, whole } = view;
  if (zoom === null || whole || flame.zoom !== '' || flame.sandwich !== '') return flame;
  return { ...flame, zoom: zoom.key };
}

/** Returns the view for the URL after a change by the graph or its toolbar. */
export function viewOfFlame(
  view: ComparisonView,
  flame: FlameView,
  zoom: FindingZoom | null,
): ComparisonView {
  if (zoom !== null && flame.zoom === zoom.key) return { ...view, flame: { ...flame, zoom: '' } };
  // Leaving a zoom shows the whole graph, not the zoom to the finding.
  const left = flame.zoom === '' && flameAtFinding(view, zoom).zoom !== '';
  return { ...view, flame, whole: view.whole || left };
}
