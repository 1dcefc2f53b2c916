/** The column headers: the order of the services, and the legends of both panels. */
import {
  QUANTILES,
  type Dashboard,
  type QuantileId,
} from '../../../engine/dashboard/dashboard-file';
import { LatencyLegend, RateLegend } from './LatencyLegend';
import classes from './dashboard.module.css';
import type { DashboardView } from './dashboard-url';
import { ORDER_LABELS, type ServiceOrder } from './use-service-order';

type HeadsProps = {
  board: Dashboard;
  order: ServiceOrder;
  view: DashboardView;
  onChange: (changed: Partial<DashboardView>) => void;
  mayWrite: boolean;
};

export function ColumnHeads({ board, order, view, onChange, mayWrite }: HeadsProps) {
  const withMean = board.series.some(({ latency }) => latency.mean !== null);
  const withInstances = board.rows.some(({ instances }) => (instances ?? 0) > 1);
  const toggle = (id: QuantileId) => {
    const next = QUANTILES.filter((each) =>
      each === id ? !view.quantiles.includes(id) : view.quantiles.includes(each),
    );
    if (next.length > 0) onChange({ quantiles: next });
  };
  return (
    <div className={classes.cols}>
      <span>
        {ORDER_LABELS[order.source]}
        {order.source === 'manual' && mayWrite && (
          <button type="button" className={`link ${classes.reset}`} onClick={order.reset}>
            from spans
          </button>
        )}
      </span>
      <span className={classes.colHead}>
        Requests per second
        <span className="grow" />
        <RateLegend
          other={board.series.some(({ qps }) => qps.other !== null)}
          against={board.against}
        />
      </span>
      <span className={classes.colHead}>
        Latency
        <span className="grow" />
        <LatencyLegend
          shown={view.quantiles}
          mean={withMean}
          onToggle={toggle}
          instances={withInstances ? view.instances : null}
          onInstances={() => onChange({ instances: !view.instances })}
        />
      </span>
    </div>
  );
}
