/**
 * Services in the order in which requests flow, from top to bottom, and the calls between them.
 * Calls are lines; services are buttons, which the tab key reaches. The table beside the map has
 * the same content.
 */
import { useLayoutEffect, useMemo, useRef, type ReactElement } from 'react';
import { visibleName } from '../../engine/flame/frame-label';
import {
  NODE_HEIGHT,
  NODE_WIDTH,
  layOutServiceMap,
  type MapEdge,
  type MapPoint,
} from '../../engine/spans/service-map-layout';
import css from './map.module.css';

export type MapService = { id: string; name: string; words: string; failed?: boolean };
export type MapCall = MapEdge & {
  /** Text on the line: "×3.00". */
  words: string;
  title: string;
  tone?: 'more' | 'less' | 'noise';
};

type ServiceMapProps = {
  services: readonly MapService[];
  calls: readonly MapCall[];
  label: string;
  onChoose?: (id: string) => void;
  chosen?: string;
};

/** Space at the right for calls that lead up again. */
const BACK_PX = 70;
/** With more calls than this, the numbers would overlap; the table beside the map has them. */
const SERVICE_LABELS = 80;

export function ServiceMap(props: ServiceMapProps): ReactElement {
  const { services, calls, label, onChoose, chosen } = props;
  const layout = useMemo(
    () =>
      layOutServiceMap(
        services.map(({ id }) => id),
        calls,
      ),
    [services, calls],
  );
  const width = layout.width + (layout.back.size > 0 ? BACK_PX : 0);
  const scroller = useRef<HTMLDivElement>(null);
  // The first callee is in the middle: a map wider than the page starts there.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element) element.scrollLeft = (element.scrollWidth - element.clientWidth) / 2;
  }, [width]);
  return (
    <div ref={scroller} className={css.scroll} role="group" aria-label={label} tabIndex={0}>
      <div className={css.map} style={{ width, height: layout.height }}>
        <svg width={width} height={layout.height} aria-hidden="true">
          {calls.map((call, at) => (
            <Call
              key={at}
              call={call}
              quiet={calls.length > SERVICE_LABELS}
              points={layout.lines[at] ?? []}
              back={layout.back.has(at)}
              lit={chosen !== undefined && (call.from === chosen || call.to === chosen)}
            />
          ))}
        </svg>
        {services.map((service) => {
          const node = layout.nodes.get(service.id);
          if (!node) return null;
          const place = {
            left: node.x - NODE_WIDTH / 2,
            top: node.y,
            width: NODE_WIDTH,
            height: NODE_HEIGHT,
          };
          const inside = (
            <>
              <b className="cut">{visibleName(service.name)}</b>
              <span className={`cut ${service.failed ? 'err' : 'muted'}`}>{service.words}</span>
            </>
          );
          return onChoose ? (
            <button
              key={service.id}
              type="button"
              className={css.node}
              style={place}
              title={`${service.name}: ${service.words}`}
              data-chosen={service.id === chosen || undefined}
              onClick={() => onChoose(service.id)}
            >
              {inside}
            </button>
          ) : (
            <div key={service.id} className={css.node} style={place} title={service.name}>
              {inside}
            </div>
          );
        })}
      </div>
    </div>
  );
}

type CallProps = {
  call: MapCall;
  points: readonly MapPoint[];
  back: boolean;
  lit: boolean;
  /** Whether its numbers are hidden. */
  quiet: boolean;
};

function Call({ call, points, back, lit, quiet }: CallProps): ReactElement | null {
  const end = points.at(-1);
  const before = points.at(-2);
  const [first, second] = points;
  if (!end || !before || !first || !second) return null;
  const tone = css[call.tone ?? 'noise'] ?? '';
  const d = back ? backPath(before, end) : pathOf(points);
  const text = back
    ? { x: Math.max(before.x, end.x) + BACK_PX / 2, y: (before.y + end.y) / 2 }
    : // Near the caller, since lines to one service converge further down.
      { x: (first.x + second.x) / 2, y: (first.y + second.y) / 2 + 3 };
  const head = back
    ? `M${end.x + 7} ${end.y - 4}L${end.x} ${end.y}l7 4`
    : `M${end.x - 4} ${end.y - 7}L${end.x} ${end.y}l4 -7`;
  return (
    <g className={tone} data-lit={lit || undefined}>
      <title>{call.title}</title>
      <path className={css.line} d={d} />
      <path className={css.line} d={head} />
      {!quiet && (
        <text className={css.text} x={text.x} y={text.y} textAnchor="middle">
          {call.words}
        </text>
      )}
    </g>
  );
}

/** Returns a path of curves that start and end vertically, through lanes between the services. */
function pathOf(points: readonly MapPoint[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  let d = `M${first.x} ${first.y}`;
  let from = first;
  for (const to of rest) {
    const middle = (from.y + to.y) / 2;
    d += `C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.y}`;
    from = to;
  }
  return d;
}

function backPath(from: MapPoint, to: MapPoint): string {
  const x = Math.max(from.x, to.x) + BACK_PX / 2;
  return `M${from.x} ${from.y}C${x} ${from.y} ${x} ${to.y} ${to.x} ${to.y}`;
}
