/** An introduction of the product with a drawing, beside the sign-in form. */
import classes from './ProductIntroduction.module.css';

/** Latency in ms per minute around a deployment: an example, not measured on this server. */
const EXAMPLE_MS = [
  43, 44, 42, 45, 43, 41, 44, 46, 43, 42, 44, 45, 43, 44, 72, 82, 78, 80, 77, 76, 79, 81, 75, 78,
  80, 78,
];
const DEPLOYED = 13;
const WIDTH = 420;
const BOTTOM = 132;
const x = (minute: number): number => (minute * WIDTH) / (EXAMPLE_MS.length - 1);
const y = (ms: number): number => BOTTOM - (ms - 20) * 1.5;
const LINE = EXAMPLE_MS.map((ms, minute) => `${x(minute).toFixed(1)},${y(ms).toFixed(1)}`).join(
  ' ',
);

export function ProductIntroduction() {
  return (
    <aside className={classes.aside} aria-label="What Slowpath is">
      <p className={classes.sentence}>
        Slowpath finds the build, the commit and the function that made a Go service slower.
      </p>
      <figure className={classes.figure}>
        <svg
          viewBox={`0 0 ${WIDTH} 150`}
          role="img"
          aria-label="Example: p99 of a service rises by a factor of 1.8 at a deployment"
        >
          <line x1="0" y1={BOTTOM} x2={WIDTH} y2={BOTTOM} className={classes.axis} />
          <line
            x1={x(DEPLOYED)}
            y1="14"
            x2={x(DEPLOYED)}
            y2={BOTTOM}
            className={classes.deployed}
          />
          <line x1="0" y1={y(44)} x2={x(DEPLOYED)} y2={y(44)} className={classes.level} />
          <line x1={x(DEPLOYED)} y1={y(78.5)} x2={WIDTH} y2={y(78.5)} className={classes.level} />
          <polyline points={LINE} className={classes.line} />
          <text x={x(DEPLOYED) - 8} y="24" textAnchor="end" className={classes.change}>
            p99 ×1.8
          </text>
          <text x={x(DEPLOYED) + 8} y="24" className={classes.label}>
            deployment
          </text>
          <text x="0" y="147" className={classes.label}>
            Example
          </text>
        </svg>
      </figure>
      <ul className={classes.questions}>
        <li>Which service and which deployment raised p99?</li>
        <li>Which function costs more, and who wrote the change?</li>
        <li>Which commit is the culprit, even in a dependency?</li>
        <li>Why did a goroutine wait before it ran?</li>
      </ul>
    </aside>
  );
}
