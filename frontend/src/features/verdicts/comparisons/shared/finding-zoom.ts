/** Which part of the graph shows a finding: its function, or the caller that its cost is attributed to. Pure. */
import type { Finding } from '../../../../api';
import { namesKey, type FlameView } from '../../../../engine/flame/flame-view';
import type { ComparisonView } from './comparison-url';
import { pathTo } from './comparison-wording';
import type { RequestedView } from './selected-view';

/** `key` of the path, and the name of its last function. */
export type FindingZoom = { number: number; key: string; name: string };

/** The chosen finding; the first one until another is chosen. */
export function shownFinding(
  findings: readonly Finding[],
  chosen: number | null,
): { finding: Finding; index: number } | null {
  const index = chosen ?? 0;
  const finding = findings[index];
  return finding === undefined ? null : { finding, index };
}

/** Names of the frames down to the cause, outermost first; empty where none is known. */
function pathOfFinding(finding: Finding): string[] {
  if (finding.kind === 'profile.function') return [finding.subject];
  const caller = finding.attributed_callers[0];
  return caller === undefined ? [] : pathTo(caller);
}

/** null when the finding is not about the profiles that are shown. */
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

/** The view as the graph gets it: zoomed to the finding unless another zoom or the whole graph was chosen. */
export function flameAtFinding(view: ComparisonView, zoom: FindingZoom | null): FlameView {
  const { flame, whole } = view;
  if (zoom === null || whole || flame.zoom !== '' || flame.sandwich !== '') return flame;
  return { ...flame, zoom: zoom.key };
}

/** The other way round: what the graph or its toolbar changed, as the address holds it. */
export function viewOfFlame(
  view: ComparisonView,
  flame: FlameView,
  zoom: FindingZoom | null,
): ComparisonView {
  if (zoom !== null && flame.zoom === zoom.key) return { ...view, flame: { ...flame, zoom: '' } };
  // A zoom that was left leads to the whole graph, not back to the finding.
  const left = flame.zoom === '' && flameAtFinding(view, zoom).zoom !== '';
  return { ...view, flame, whole: view.whole || left };
}
