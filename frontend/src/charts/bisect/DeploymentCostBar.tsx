/** The number of deployments so far, the expected total, and what plain git bisect would need. */
import css from './bisect.module.css';

type DeploymentCostBarProps = {
  deploys: number;
  /** The expected total with its interval; null if the search has ended. */
  expected: { mean: number; low: number; high: number } | null;
  plain: number;
};

const WIDTH = 360;
const PAD = 8;

export function DeploymentCostBar({ deploys, expected, plain }: DeploymentCostBarProps) {
  const most = Math.max(plain, deploys, expected?.high ?? 0, 1);
  const xOf = (count: number): number => PAD + (count / most) * (WIDTH - 2 * PAD);
  const total = expected ? `, about ${Math.round(expected.mean)} expected in total` : '';
  return (
    <svg
      width={WIDTH}
      height={40}
      className={css.cost}
      role="img"
      aria-label={`${deploys} deployments so far${total}; plain git bisect, best of five, about ${plain}`}
    >
      <rect x={xOf(0)} y={12} width={xOf(most) - xOf(0)} height={8} fill="var(--noise)" />
      <rect x={xOf(0)} y={12} width={xOf(deploys) - xOf(0)} height={8} fill="var(--accent)" />
      {expected && (
        <>
          <path
            d={`M${xOf(expected.low)} 16H${xOf(expected.high)}M${xOf(expected.low)} 12v8M${xOf(expected.high)} 12v8`}
            stroke="var(--text)"
            strokeWidth={1.4}
            fill="none"
          />
          <circle cx={xOf(expected.mean)} cy={16} r={3} fill="var(--text)" />
        </>
      )}
      <path d={`M${xOf(plain)} 9v14`} stroke="var(--text-2)" strokeWidth={1.5} />
      <text x={xOf(0)} y={35} className={css.note}>
        0
      </text>
      <text x={xOf(plain)} y={35} textAnchor="end" className={css.note}>
        {plain} deployments
      </text>
    </svg>
  );
}
