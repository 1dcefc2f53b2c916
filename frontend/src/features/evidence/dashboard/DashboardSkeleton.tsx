import { useIsSlow } from '../../../ui';
import classes from './dashboard.module.css';

const ROWS = 5;

/** Placeholders of rows at their final heights, visible if loading takes longer than 200 ms. */
export function DashboardSkeleton() {
  const slow = useIsSlow();
  return (
    <div
      className={classes.board}
      role="status"
      aria-label="Loading the dashboard"
      style={slow ? undefined : { visibility: 'hidden' }}
    >
      <div className={classes.cols} />
      {Array.from({ length: ROWS }, (_, row) => (
        <div key={row} className={classes.row}>
          <div className={classes.service}>
            <i className={classes.bone} style={{ width: 80 + ((row * 23) % 40) }} />
            <i className={classes.bone} style={{ width: 110 }} />
          </div>
          {['qps', 'latency'].map((panel) => (
            <div key={panel} className={classes.cell}>
              <div className={classes.caption} />
              <div className={classes.bonePanel} />
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}
