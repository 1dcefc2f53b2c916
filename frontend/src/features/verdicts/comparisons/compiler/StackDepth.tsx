/** The depth of a path on both builds, and the depth from which a call needs the next stack size. */
import type { StackPath } from '../../../../api';
import classes from './CompilerPanel.module.css';
import { depthBars, formatBytes } from './compiler-wording';

const percent = (share: number): string => `${(100 * share).toFixed(2)}%`;

export function StackDepth({ path, edge }: { path: StackPath; edge: number }) {
  const { bars, edge: at } = depthBars(path, edge);
  return (
    <figure className={classes.depth}>
      <figcaption>
        Stack depth of the path, bytes; next stack size from <b>{formatBytes(edge)}</b>
      </figcaption>
      {bars.map(({ side, depth, width, beyond, note }) => (
        <div key={side} className={classes.bar}>
          <span>{side}</span>
          <span className={classes.track}>
            <span className={classes.fill} data-side={side} style={{ width: percent(width) }}>
              {formatBytes(depth)}
            </span>
            <span className={classes.beyond} style={{ width: percent(beyond) }} />
            <span className={classes.edge} style={{ left: percent(at) }} aria-hidden />
            <span className={beyond > 0 ? 'more' : 'muted'}>{note}</span>
          </span>
        </div>
      ))}
    </figure>
  );
}
