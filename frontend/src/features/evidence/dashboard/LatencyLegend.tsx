/** The legends of both panels; each latency line can be shown or hidden. */
import type { Dashboard, QuantileId } from '../../../engine/dashboard/dashboard-file';
import classes from './dashboard.module.css';

export function RateLegend({ other, against }: { other: boolean; against: Dashboard['against'] }) {
  return (
    <span className={classes.keys}>
      {against && (
        <span className={classes.key}>
          <svg width="16" height="8" aria-hidden="true">
            <path d="M0 4h16" stroke="var(--base-line)" strokeWidth="1.4" strokeDasharray="4 3" />
          </svg>
          {against.label}
        </span>
      )}
      <Swatch colour="q1" name="2xx" />
      {other && <Swatch colour="noise-line" name="unknown" />}
      <Swatch colour="warn-mark" name="4xx" />
      <Swatch colour="err" name="5xx" />
    </span>
  );
}

function Swatch({ colour, name }: { colour: string; name: string }) {
  return (
    <span className={classes.key}>
      <i className={classes.swatch} style={{ background: `var(--${colour})` }} />
      {name}
    </span>
  );
}

const LINES: { id: QuantileId; name: string; colour: string; width: number; dash?: string }[] = [
  { id: 'p99', name: 'p99, with bucket band', colour: 'q3', width: 2 },
  { id: 'p90', name: 'p90', colour: 'q2', width: 1.6 },
  { id: 'p50', name: 'p50', colour: 'p-mean', width: 1.4, dash: '2 2' },
  { id: 'mean', name: 'mean', colour: 'text-2', width: 1.2, dash: '7 3' },
];

type LatencyKeysProps = {
  shown: QuantileId[];
  mean: boolean;
  onToggle: (id: QuantileId) => void;
  /** Whether instances are shown; null = no service has more than one. */
  instances: boolean | null;
  onInstances: () => void;
};

export function LatencyLegend({ shown, mean, onToggle, instances, onInstances }: LatencyKeysProps) {
  return (
    <span className={classes.keys} role="group" aria-label="Latency lines">
      {LINES.filter(({ id }) => id !== 'mean' || mean).map(({ id, name, colour, width, dash }) => (
        <button
          key={id}
          type="button"
          className={classes.key}
          aria-label={name}
          aria-pressed={shown.includes(id)}
          onClick={() => onToggle(id)}
        >
          <svg width="16" height="8" aria-hidden="true">
            <path
              d="M0 4h16"
              stroke={`var(--${colour})`}
              strokeWidth={width}
              strokeDasharray={dash}
            />
          </svg>
          {shown.includes(id) ? name : `+ ${id}`}
        </button>
      ))}
      {instances !== null && (
        <button
          type="button"
          className={classes.key}
          aria-label="p99 of instances"
          aria-pressed={instances}
          onClick={onInstances}
        >
          <svg width="16" height="8" aria-hidden="true">
            <path d="M0 2h16M0 6h16" stroke="var(--q2)" strokeWidth="0.8" opacity="0.7" />
          </svg>
          {instances ? 'instances' : '+ instances'}
        </button>
      )}
    </span>
  );
}
