/** The verdict of a probe; its icon is the same in charts, tables and legends. */
export type ProbeVerdict = 'slower' | 'not-slower' | 'inconclusive' | 'unbuildable' | 'measuring';

type Props = { verdict: ProbeVerdict; x?: number; y?: number };

/** Draws the icon in an SVG, around a point. */
export function VerdictPoint({ verdict, x = 6, y = 6 }: Props) {
  if (verdict === 'slower')
    return <path d={`M${x - 4} ${y + 3.5}l4 -7.5 4 7.5z`} fill="var(--more)" />;
  if (verdict === 'not-slower')
    return <circle cx={x} cy={y} r={3.4} fill="var(--bg)" stroke="var(--less)" strokeWidth={1.7} />;
  if (verdict === 'measuring') return <circle cx={x} cy={y} r={3.6} fill="var(--accent)" />;
  if (verdict === 'unbuildable')
    return (
      <path
        d={`M${x - 3} ${y - 3}l6 6M${x + 3} ${y - 3}l-6 6`}
        stroke="var(--muted)"
        strokeWidth={1.5}
      />
    );
  return <path d={`M${x - 4} ${y}h8`} stroke="var(--muted)" strokeWidth={2} />;
}

export function VerdictIcon({ verdict }: { verdict: ProbeVerdict }) {
  return (
    <svg width={12} height={12} aria-hidden>
      <VerdictPoint verdict={verdict} />
    </svg>
  );
}
