/** Texts of the service map: the newest request rate and latency of each service. */
import type { Dashboard } from '../dashboard/dashboard-file';
import { lastWith, totalOf } from '../dashboard/dashboard-panel';
import { captionText, latencyCaption, rateText } from '../dashboard/dashboard-wording';

/**
 * Returns "118 /s, p50 3.0, p99 26 ms" by service id, without services that have no value at the
 * newest `lately` times.
 */
export function serviceMapValues(board: Dashboard, lately: number): Map<string, string> {
  const { points } = board.grid;
  const newest = (column: Float32Array | null): number => {
    const at = lastWith(column, points - 1);
    return at >= points - lately ? at : -1;
  };
  const entries = board.rows.flatMap(({ service }, row): [string, string][] => {
    const series = board.series[row]!;
    const total = totalOf(series.qps, points);
    const rateAt = newest(total);
    const known = (['p50', 'p99', 'mean'] as const).filter((id) => newest(series.latency[id]) >= 0);
    const quantiles = known.some((id) => id !== 'mean')
      ? known.filter((id) => id !== 'mean')
      : known;
    const at = Math.max(-1, ...quantiles.map((id) => newest(series.latency[id])));
    const parts = [
      rateAt >= 0 ? `${rateText(total![rateAt]!)} /s` : '',
      at >= 0 ? captionText(latencyCaption(series, quantiles, at)) : '',
    ].filter((part) => part !== '');
    return parts.length > 0 ? [[service.id, parts.join(', ')]] : [];
  });
  return new Map(entries);
}
