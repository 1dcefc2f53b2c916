/** SVG markers over the lines of a panel: gaps, deployments, change points and annotations. */
import { useId, type ReactElement } from 'react';
import {
  labelWidth,
  placeLabels,
  type LabelPosition,
} from '../../engine/dashboard/dashboard-labels';
import { heightOf, type HeightScale } from '../../engine/dashboard/dashboard-scale';
import css from './dashboard.module.css';
import { BOTTOM_PX, LEFT_PX, RIGHT_PX, TOP_PX, xOf, yOf, type PlotArea } from './plot-area';

export type DeploymentMarker = {
  id: string;
  atMs: number;
  /** Whether the verdict is "not slower": the line is dotted and muted. */
  muted: boolean;
  /** Label beside a diamond, in the row of its own service; null in other rows. */
  label: { lead: string; name: string; tail: string } | null;
};
export type ChangePointMarker = {
  id: string;
  atMs: number;
  /** From the previous change of the same signal, or the start, until the next one, or the end. */
  fromMs: number;
  untilMs: number;
  before: number;
  after: number;
  tone: 'more' | 'less' | 'plain';
  /** Whether levels are drawn: only in the row that the change belongs to. */
  levels: boolean;
  /** The interval of `after`. */
  low: number;
  high: number;
  label: { strong: string; plain: string; tail: string };
};
/** A limit that users set: a line over the whole time. */
export type LimitMarker = { id: string; seconds: number; label: string };
export type PanelMarkers = {
  deploys: DeploymentMarker[];
  steps: ChangePointMarker[];
  gaps: { fromMs: number; toMs: number; why: string }[];
  late: { fromMs: number; toMs: number; text: string }[];
  /** Times at which counters restarted. */
  restarts: number[];
  notes: { id: string; atMs: number; untilMs: number | null; text: string }[];
  limits: LimitMarker[];
};

const LABEL_ROW_PX = 14;
const LABEL_ROWS = 2;

type MarkerLayerProps = { marks: PanelMarkers; place: PlotArea; scale: HeightScale };

export function MarkerLayer({ marks, place, scale }: MarkerLayerProps): ReactElement {
  const { widthPx, heightPx } = place;
  const hatch = `gap${useId()}`;
  const within = (atMs: number) => atMs >= place.span.fromMs && atMs <= place.span.toMs;
  const deploys = marks.deploys.filter(({ atMs }) => within(atMs));
  const labels = labelsOf(marks, place);
  return (
    <svg className={css.marks} width={widthPx} height={heightPx} aria-hidden="true">
      <defs>
        <pattern
          id={hatch}
          width="5"
          height="5"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect width="5" height="5" fill="var(--bg)" />
          <path d="M0 0V5" stroke="var(--axis)" />
        </pattern>
      </defs>
      {marks.notes.map((note) => (
        <NoteSpan key={note.id} note={note} place={place} />
      ))}
      {marks.gaps.map((gap) => (
        <GapRect key={gap.fromMs} {...gap} place={place} fill={`url(#${hatch})`} />
      ))}
      {marks.late.map(({ fromMs, toMs, text }) => (
        <path
          key={fromMs}
          className={css.late}
          d={`M${clampX(place, fromMs)} ${heightPx - BOTTOM_PX + 3}H${clampX(place, toMs)}`}
        >
          <title>{text}</title>
        </path>
      ))}
      {marks.restarts.filter(within).map((atMs) => (
        <path
          key={atMs}
          className={css.restart}
          d={`M${xOf(place, atMs)} ${heightPx - BOTTOM_PX}v5`}
        >
          <title>restart</title>
        </path>
      ))}
      {deploys.map(({ id, atMs, muted, label }) => (
        <g key={id}>
          <path
            className={muted ? css.deployMuted : css.deploy}
            d={`M${xOf(place, atMs)} 0V${heightPx}`}
          />
          {label && (
            <rect
              className={muted ? css.diamondMuted : css.diamond}
              x={-3}
              y={-3}
              width={6}
              height={6}
              transform={`translate(${xOf(place, atMs)},0) rotate(45)`}
            />
          )}
        </g>
      ))}
      {marks.limits.map((limit) => (
        <LimitLine key={limit.id} limit={limit} place={place} scale={scale} />
      ))}
      {marks.steps.map((step) =>
        step.levels ? <Step key={step.id} step={step} place={place} scale={scale} /> : null,
      )}
      {labels.map((each) => (
        <text
          key={each.id}
          x={each.x}
          y={TOP_PX + 9 + each.row * LABEL_ROW_PX}
          textAnchor={each.anchor}
          className={css.label}
        >
          {each.content}
        </text>
      ))}
    </svg>
  );
}

/** Maximum labeled gaps per reason: a service with few requests has many. All have a title. */
const MAX_ANNOTATIONS_READ = 3;

/** Returns the longest gaps of each reason, in order of time. */
function describeGaps(gaps: PanelMarkers['gaps']): PanelMarkers['gaps'] {
  const longest = gaps.toSorted((a, b) => b.toMs - b.fromMs - (a.toMs - a.fromMs));
  const counts = new Map<string, number>();
  const chosen = new Set(
    longest.filter(({ why }) => {
      const before = counts.get(why) ?? 0;
      counts.set(why, before + 1);
      return before < MAX_ANNOTATIONS_READ;
    }),
  );
  return gaps.filter((gap) => chosen.has(gap));
}

type Placed = LabelPosition & { content: ReactElement };

/** Places labels: first of change points, as most important, then of deployments, then of gaps. */
function labelsOf(marks: PanelMarkers, place: PlotArea): Placed[] {
  const contents = new Map<string, (short: boolean) => ReactElement>();
  const requests = [
    ...marks.steps.map((step) => {
      const { strong, plain, tail } = step.label;
      const id = `step ${step.id}`;
      contents.set(id, (short) => (
        <>
          <tspan className={css[`${step.tone}Strong`]}>{strong}</tspan>
          <tspan className={strong ? css[`${step.tone}Text`] : undefined}>{plain}</tspan>
          {!short && <tspan className={css.ink}>{tail}</tspan>}
        </>
      ));
      return {
        id,
        atMs: step.atMs,
        text: strong + plain + tail,
        short: strong + plain,
        prefer: 'left' as const,
      };
    }),
    ...marks.deploys
      .toSorted((a, b) => Number(a.muted) - Number(b.muted) || b.atMs - a.atMs)
      .flatMap(({ id, atMs, muted, label }) => {
        if (!label) return [];
        contents.set(id, (short) => (
          <tspan className={muted ? undefined : css.ink}>
            {!short && label.lead}
            <tspan className={css.code}>{label.name}</tspan>
            {!short && label.tail}
          </tspan>
        ));
        const text = label.lead + label.name + label.tail;
        const prefer = muted ? ('right' as const) : ('left' as const);
        return [{ id, atMs, text, short: label.name, prefer }];
      }),
    ...describeGaps(marks.gaps).map(({ fromMs, toMs, why }) => {
      const id = `gap ${toMs}`;
      contents.set(id, () => <>{why}</>);
      // In the hatched part if it fits, otherwise after it; before a gap that reaches the end.
      const from = Math.max(fromMs, place.span.fromMs);
      const isInside = xOf(place, toMs) - xOf(place, from) >= labelWidth(why);
      const isAtEnd = toMs >= place.span.toMs;
      return { id, atMs: isInside || isAtEnd ? from : toMs, text: why, prefer: 'right' as const };
    }),
  ];
  const shown = requests
    .filter(({ atMs }) => atMs >= place.span.fromMs && atMs <= place.span.toMs)
    .map((request) => ({ ...request, x: xOf(place, request.atMs) }));
  const bounds = { left: LEFT_PX, right: place.widthPx - RIGHT_PX, rows: LABEL_ROWS };
  return placeLabels(shown, bounds).map((each) => ({
    ...each,
    content: contents.get(each.id)?.(each.short) ?? <></>,
  }));
}

const clampX = (place: PlotArea, atMs: number): number =>
  Math.max(LEFT_PX, Math.min(place.widthPx - RIGHT_PX, xOf(place, atMs)));

type GapProps = { fromMs: number; toMs: number; why: string; place: PlotArea; fill: string };

function GapRect({ fromMs, toMs, why, place, fill }: GapProps): ReactElement {
  const from = clampX(place, fromMs);
  return (
    <rect
      x={from}
      y={TOP_PX}
      width={Math.max(1, clampX(place, toMs) - from)}
      height={place.heightPx - TOP_PX - BOTTOM_PX}
      fill={fill}
    >
      <title>{why}</title>
    </rect>
  );
}

function NoteSpan({ note, place }: { note: PanelMarkers['notes'][number]; place: PlotArea }) {
  const from = clampX(place, note.atMs);
  const to = note.untilMs === null ? from + 1 : Math.max(from + 1, clampX(place, note.untilMs));
  return (
    <rect
      className={css.note}
      x={from}
      y={TOP_PX}
      width={to - from}
      height={place.heightPx - TOP_PX - BOTTOM_PX}
    />
  );
}

type LimitProps = { limit: LimitMarker; place: PlotArea; scale: HeightScale };

/**
 * Draws a dashed line with its name below it and below other labels. A limit beyond the scale has
 * only its name, at that edge.
 */
function LimitLine({ limit, place, scale }: LimitProps) {
  const isInside = limit.seconds >= scale.least && limit.seconds <= scale.most;
  const y = yOf(place, heightOf(scale, limit.seconds));
  const edge = limit.seconds > scale.most ? ', above' : ', below';
  const isLow = y > place.heightPx - BOTTOM_PX - LABEL_ROW_PX;
  const below = Math.max(y + 11, TOP_PX + 9 + LABEL_ROWS * LABEL_ROW_PX);
  return (
    <g>
      {isInside && (
        <path className={css.limit} d={`M${LEFT_PX} ${y}H${place.widthPx - RIGHT_PX}`} />
      )}
      <text className={css.label} x={LEFT_PX + 4} y={isLow ? y - 4 : below}>
        <tspan className={css.ink}>{isInside ? limit.label : limit.label + edge}</tspan>
      </text>
    </g>
  );
}

/** Length by which both levels are drawn beside each other at the change. */
const ARROW_PX = 13;

/** Dashed levels before and after a change, the interval after it, and an arrow at the change. */
function Step({
  step,
  place,
  scale,
}: {
  step: ChangePointMarker;
  place: PlotArea;
  scale: HeightScale;
}) {
  const y = (value: number) => yOf(place, heightOf(scale, value));
  const [at, from, until] = [step.atMs, step.fromMs, step.untilMs].map((ms) => clampX(place, ms));
  const [before, after] = [y(step.before), y(step.after)];
  const up = after < before;
  const tip = after + (up ? 1 : -1);
  // The arrow is right of the change, but left of a change at the right edge.
  const isAtEdge = at! + ARROW_PX > place.widthPx - RIGHT_PX;
  const arrow = at! + (isAtEdge ? -8 : 8);
  return (
    <g className={css[step.tone]}>
      <rect
        className={css.stepBand}
        x={at}
        y={y(step.high)}
        width={Math.max(0, until! - at!)}
        height={Math.max(1, y(step.low) - y(step.high))}
      />
      <path
        className={css.stepLevel}
        d={`M${from} ${before}H${isAtEdge ? at : at! + ARROW_PX}M${isAtEdge ? at! - ARROW_PX : at} ${after}H${until}`}
      />
      <path className={css.stepArrow} d={`M${arrow} ${before}V${tip + (up ? 6 : -6)}`} />
      <path
        className={css.stepHead}
        d={`M${arrow - 3.5} ${tip + (up ? 7 : -7)}h7l-3.5 ${up ? -7 : 7}z`}
      />
    </g>
  );
}
