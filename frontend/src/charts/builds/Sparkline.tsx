import {
  layOutBuildSeries,
  sparklineLevels,
  withoutOutliers,
} from '../../engine/builds/build-series';
import css from './builds.module.css';

type SparklineProps = {
  values: (number | null)[];
  /** The first build of the new level. */
  stepAt: number | null;
  levels: number[];
  /** Color of the new level: it is worse, better, or resolved. */
  tone: 'more' | 'less' | 'quiet';
  width?: number;
  height?: number;
};

/** A series over builds in one row of a list; the text beside it has the same content. */
export function Sparkline({
  values,
  stepAt,
  levels,
  tone,
  width = 142,
  height = 26,
}: SparklineProps) {
  const line = layOutBuildSeries(
    {
      values: withoutOutliers(values, levels),
      levels: sparklineLevels(values.length, stepAt, levels),
    },
    width,
    height,
    3,
  );
  const afterX = stepAt === null ? width : line.xBefore(stepAt);
  return (
    <svg className={css.spark} width={width} height={height} aria-hidden data-tone={tone}>
      {line.dots.map(({ index, x, y }) => (
        <circle key={index} cx={x} cy={y} r={1.1} className={css.dot} />
      ))}
      {line.levels.map(({ fromX, toX, y }) => (
        <line
          key={fromX}
          x1={fromX}
          x2={toX}
          y1={y}
          y2={y}
          className={fromX >= afterX - 1e-6 ? css.after : css.before}
        />
      ))}
      {stepAt !== null && (
        <line x1={afterX} x2={afterX} y1={2} y2={height - 2} className={css.step} />
      )}
    </svg>
  );
}
