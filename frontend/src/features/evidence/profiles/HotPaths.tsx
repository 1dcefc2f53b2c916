/** A table of the hot paths of goroutines with their depth on the stack as bars on one axis. */
import { useState } from 'react';
import type { HotPath, HotPathSide } from '../../../api';
import { visibleName } from '../../../engine/flame/frame-label';
import { formatShare } from '../../../engine/format/format';
import { shortName } from '../../../engine/format/short-function-name';
import classes from './HotPaths.module.css';
import {
  axisOf,
  bytesText,
  changeText,
  crosses,
  largestShare,
  rankedFrames,
  roomText,
  segmentsOf,
  stackText,
  type Limit,
  type SideName,
} from './hot-paths';

const nameOf = (name: string): string => visibleName(shortName(name));

type Axis = { end: number; limits: Limit[] };

const percent = (share: number): string => `${(100 * share).toFixed(2)}%`;

export default function HotPaths({ paths }: { paths: readonly HotPath[] }) {
  const axis = axisOf(paths);
  const [open, setOpen] = useState<number | null>(null);
  const both = paths.some(({ candidate }) => candidate !== null);
  return (
    <table className={classes.table} aria-label="Stack depth of the hottest paths">
      <thead>
        <tr>
          <th scope="col">Path ends in</th>
          <th scope="col">Share</th>
          <th scope="col" className={classes.axis}>
            depth, bytes
            {axis.limits.map(({ bytes, stack }) => (
              <span key={bytes} style={{ left: percent(bytes / axis.end) }} aria-hidden>
                {bytesText(bytes)}
                <small> {stackText(stack)}</small>
              </span>
            ))}
          </th>
          <th scope="col">Before the next size</th>
        </tr>
      </thead>
      <tbody>
        {paths.map((path, index) => (
          <PathRow
            key={path.stack.join(' ')}
            path={path}
            axis={axis}
            both={both}
            isOpen={open === index}
            onToggle={() => setOpen(open === index ? null : index)}
          />
        ))}
      </tbody>
    </table>
  );
}

type RowProps = {
  path: HotPath;
  axis: Axis;
  both: boolean;
  isOpen: boolean;
  onToggle: () => void;
};

function PathRow({ path, axis, both, isOpen, onToggle }: RowProps) {
  const { stack, base, candidate, unfollowed } = path;
  const name = nameOf(stack.at(-1) ?? '');
  return (
    <>
      <tr data-crosses={crosses(path) || undefined}>
        <th scope="row">
          <button type="button" aria-expanded={isOpen} title={stack.join('\n')} onClick={onToggle}>
            <span className="mono">{name}</span>
          </button>
          <span className="muted">
            {stack.length} frames from {nameOf(stack[0] ?? '')}
            {unfollowed && `, not followed to ${nameOf(unfollowed)}`}
          </span>
        </th>
        <td>{formatShare(largestShare(path))}</td>
        <td className={classes.bars} aria-hidden>
          {axis.limits.map(({ bytes }) => (
            <i key={bytes} className={classes.limit} style={{ left: percent(bytes / axis.end) }} />
          ))}
          <Bar side={base} name="base" axis={axis} limit={base.limit_bytes} />
          {candidate && (
            <Bar side={candidate} name="candidate" axis={axis} limit={base.limit_bytes} />
          )}
        </td>
        <td>
          <span>
            {both && 'base '}
            {roomText(base)}
          </span>
          {candidate && (
            <span>
              candidate {roomText(candidate)}; <b>{changeText(path)}</b>
            </span>
          )}
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={4} className={classes.frames}>
            <Frames side={candidate ?? base} />
          </td>
        </tr>
      )}
    </>
  );
}

type BarProps = { side: HotPathSide; name: SideName; axis: Axis; limit: number };

/** A bar of the frames from the root; a part beyond the base's limit has an increase's color. */
function Bar({ side, name, axis: { end }, limit }: BarProps) {
  const { lowest_bytes: low, highest_bytes: high, runtime_bytes: runtime } = side;
  const over = name === 'candidate' ? Math.max(0, high - limit) : 0;
  return (
    <div className={classes.bar} data-side={name}>
      <span className={classes.fill} style={{ width: percent(high / end) }} />
      {segmentsOf(side, end).map(({ width }, at) => (
        <span key={at} className={classes.frame} style={{ width: percent(width) }} />
      ))}
      {low < high && (
        <span
          className={classes.interval}
          style={{ left: percent(low / end), width: percent((high - low) / end) }}
        />
      )}
      {over > 0 && (
        <span
          className={classes.over}
          style={{ left: percent(limit / end), width: percent(over / end) }}
        />
      )}
      {runtime !== null && (
        <span
          className={classes.runtime}
          style={{ left: percent(high / end), width: percent((runtime - high) / end) }}
        />
      )}
    </div>
  );
}

/** The functions of a path, ordered by the bytes that each would return. */
function Frames({ side }: { side: HotPathSide }) {
  return (
    <>
      <table aria-label="Functions of the path">
        <thead>
          <tr>
            <th scope="col">Function</th>
            <th scope="col">Frame, B</th>
            <th scope="col">Depth, B</th>
            <th scope="col">Returns at most, B</th>
          </tr>
        </thead>
        <tbody>
          {rankedFrames(side).map((each, at) => (
            <tr key={at}>
              <th scope="row" className="mono">
                {nameOf(each.function)}
              </th>
              <td>{bytesText(each.frame_bytes)}</td>
              <td>{bytesText(each.depth_bytes)}</td>
              <td>{bytesText(each.returned_bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {side.runtime_function !== null && side.runtime_bytes !== null && (
        <p>
          <span className="mono">{side.runtime_function}</span> reaches{' '}
          {bytesText(side.runtime_bytes)} bytes on this path when it is called.
        </p>
      )}
    </>
  );
}
