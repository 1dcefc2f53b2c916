import type { Finding } from '../../../../api';
import classes from '../findings/Findings.module.css';

const PATHS = {
  category: <path d="M2 3.5h10M2 7h7M2 10.5h4" strokeWidth="2" />,
  function: <path d="M9.5 2.5c-2.2-.6-3 .4-3 2.2v4.6c0 1.8-.8 2.8-3 2.2M4 6.5h5" />,
  label: <path d="M2 2.5h5L12 7l-5 4.5H2ZM4.6 7h.1" />,
  count: <path d="M2 11.5h3v-3h3v-3h3v-3" />,
  gc: <path d="M11.5 7a4.5 4.5 0 1 1-1.6-3.4M10 1.2v2.6H7.4" />,
  wait: <path d="M7 2a5 5 0 1 1 0 10A5 5 0 0 1 7 2M7 4.2V7l2 1.4" />,
  spans: <path d="M2 3h6M4.5 7h7.5M6.5 11H10" strokeWidth="2" />,
  metrics: <path d="M1.5 9.5h3L6 4l2.5 7.5 1.5-5h2.5" />,
  move: <path d="M2 4.5h9M8.5 2l2.5 2.5L8.5 7M12 10H3M5.5 7.6 3 10l2.5 2.4" />,
} as const;

type IconKind = keyof typeof PATHS;

export function iconOf(finding: Finding): IconKind {
  if (finding.kind === 'profile.function') return 'function';
  if (finding.kind === 'profile.label') return 'label';
  if (finding.kind === 'metrics.latency') return 'metrics';
  if (finding.kind === 'trace.gc') return 'gc';
  if (finding.kind === 'profile.category' && finding.subject.startsWith('gc')) return 'gc';
  if (finding.kind.startsWith('trace.')) return 'wait';
  if (finding.kind === 'spans.gap') return 'spans';
  return finding.kind === 'profile.category' ? 'category' : 'count';
}

/**
 * An icon of what changed; hidden from screen readers because the sentence has the same
 * information.
 */
export function KindIcon({ kind }: { kind: IconKind }) {
  return (
    <svg
      className={classes.icon}
      width="14"
      height="14"
      viewBox="0 0 14 14"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
    >
      {PATHS[kind]}
    </svg>
  );
}
