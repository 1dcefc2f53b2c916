/** One bar per day, and above them the value of the hovered day, or the sum of all days. */
import { useState } from 'react';
import classes from './days.module.css';

type DailyBarsProps = {
  label: string;
  /** The oldest first, without gaps. */
  days: { day: string; value: number }[];
  text: (value: number) => string;
};

const HEIGHT = 56;
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

export function DailyBars({ label, days, text }: DailyBarsProps) {
  const [at, setAt] = useState<number | null>(null);
  const most = Math.max(1, ...days.map((one) => one.value));
  const sum = days.reduce((total, one) => total + one.value, 0);
  const shown = at === null ? undefined : days[at];
  return (
    <figure className={classes.figure}>
      <figcaption className={classes.head}>
        <span>{label}</span>
        <span className={classes.text}>
          {shown
            ? `${date.format(new Date(shown.day))}: ${text(shown.value)}`
            : `${text(sum)} in total`}
        </span>
      </figcaption>
      <svg
        className={classes.bars}
        viewBox={`0 0 ${days.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: ${text(sum)} in ${days.length} days, at most ${text(most)} a day`}
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          const share = (event.clientX - box.left) / Math.max(box.width, 1);
          setAt(Math.min(days.length - 1, Math.max(0, Math.floor(share * days.length))));
        }}
        onPointerLeave={() => setAt(null)}
      >
        <rect className={classes.ground} x={0} y={HEIGHT - 1} width={days.length} height={1} />
        {days.map((one, index) => {
          const height = one.value === 0 ? 0 : Math.max(2, (one.value / most) * (HEIGHT - 2));
          return (
            <rect
              key={one.day}
              className={classes.bar}
              data-at={index === at || undefined}
              x={index + 0.12}
              y={HEIGHT - height}
              width={0.76}
              height={height}
            />
          );
        })}
      </svg>
      <div className={classes.ends} aria-hidden>
        <span>{days[0] && date.format(new Date(days[0].day))}</span>
        <span>today</span>
      </div>
    </figure>
  );
}
