/**
 * One panel of the dashboard. From back to front: grid lines, lines (ECharts), markers (SVG), the
 * cursor (moved without rendering), and buttons for what can be opened. Dragging selects a part of
 * the time axis of all panels.
 */
import { useMemo, useRef, type ReactElement, type ReactNode } from 'react';
import type { PanelModel } from '../../engine/dashboard/dashboard-panel';
import type { TimeGrid } from '../../engine/dashboard/time-grid';
import type { CursorBus } from '../../engine/dashboard/cursor-bus';
import type { Tokens } from '../plot/color-tokens';
import { CursorLayer } from './CursorLayer';
import { MarkerLayer, type PanelMarkers } from './MarkerLayer';
import css from './dashboard.module.css';
import { useDashboardChart } from './dashboard-echarts';
import { panelOption } from './panel-option';
import { separatedTops } from './line-ends';
import { LEFT_PX, RIGHT_PX, xOf, yOf, type PlotArea } from './plot-area';
import { usePanelPointer } from './use-panel-pointer';

type DashboardPanelProps = {
  model: PanelModel;
  grid: TimeGrid;
  place: PlotArea;
  marks: PanelMarkers;
  bus: CursorBus;
  /** Colors of the current scheme; null until they are known. */
  tokens: Tokens | null;
  /** Text for screen readers instead of the chart. */
  label: string;
  /** Returns the title of the button at a deployment of this row's service. */
  deployTitle?: (id: string) => string;
  onDeploy?: (id: string) => void;
  onNote?: (id: string) => void;
  /** Returns a link to what a change point belongs to, if anything. */
  stepLink?: (id: string) => ReactNode;
  onBrush: (fromMs: number, toMs: number) => void;
};

export function DashboardPanel(props: DashboardPanelProps): ReactElement {
  const { model, grid, place, marks, bus, tokens, label, onBrush } = props;
  const host = useRef<HTMLDivElement>(null);
  const option = useMemo(
    () => (tokens ? panelOption(model, place.span, tokens) : null),
    [model, place.span, tokens],
  );
  useDashboardChart(host, option, place);
  const pointer = usePanelPointer({ bus, grid, place, onBrush });
  return (
    <div className={css.panel} style={{ height: place.heightPx }} {...pointer}>
      <Hairlines model={model} place={place} />
      <div ref={host} className={css.host} role="img" aria-label={label} />
      <LineEnds model={model} place={place} />
      <MarkerLayer marks={marks} place={place} scale={model.scale} />
      <CursorLayer bus={bus} model={model} grid={grid} place={place} />
      <Openers {...props} />
      {props.stepLink && <StepLinks marks={marks} place={place} link={props.stepLink} />}
    </div>
  );
}

const LINE_END_LIFT_PX = 4;

function Hairlines({ model, place }: { model: PanelModel; place: PlotArea }) {
  return (
    <svg className={css.under} width={place.widthPx} height={place.heightPx} aria-hidden="true">
      {model.scale.ticks.map(({ height, text }) => {
        const y = yOf(place, height);
        return (
          <g key={height}>
            <path
              className={height === 0 ? css.axis : css.grid}
              d={`M${LEFT_PX} ${y}H${place.widthPx - RIGHT_PX}`}
            />
            <text x={LEFT_PX - 8} y={y + 4} textAnchor="end">
              {text}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

/** Names of lines above their ends, moved apart if they would overlap. */
function LineEnds({ model, place }: { model: PanelModel; place: PlotArea }) {
  if (model.ends.length === 0) return null;
  const tops = separatedTops(
    model.ends.map(({ height }) => yOf(place, height) - LINE_END_LIFT_PX),
    place,
  );
  return (
    <svg className={css.marks} width={place.widthPx} height={place.heightPx} aria-hidden="true">
      {model.ends.map(({ text, place: rank }, at) => (
        <text
          key={text}
          className={rank === 0 ? `${css.label} ${css.firstEnd}` : css.label}
          x={place.widthPx - RIGHT_PX - 2}
          y={tops[at]}
          textAnchor="end"
        >
          {text}
        </text>
      ))}
    </svg>
  );
}

/** Buttons at deployments and annotations, reached by Tab and opened by a click. */
function Openers({ marks, place, deployTitle, onDeploy, onNote }: DashboardPanelProps) {
  const seen = ({ atMs }: { atMs: number }) => atMs >= place.span.fromMs && atMs <= place.span.toMs;
  return (
    <>
      {onDeploy &&
        marks.deploys
          .filter((mark) => mark.label !== null && seen(mark))
          .map(({ id, atMs }) => (
            <button
              key={id}
              type="button"
              className={css.opener}
              style={{ left: xOf(place, atMs) }}
              aria-label={deployTitle?.(id) ?? 'Deployment'}
              title={deployTitle?.(id)}
              onClick={() => onDeploy(id)}
            />
          ))}
      {onNote &&
        marks.notes
          .filter(seen)
          .map(({ id, atMs, text }) => (
            <button
              key={id}
              type="button"
              className={css.noteOpener}
              style={{ left: xOf(place, atMs) }}
              aria-label={`Annotation: ${text}`}
              title={text}
              onClick={() => onNote(id)}
            />
          ))}
    </>
  );
}

type StepLinksProps = {
  marks: PanelMarkers;
  place: PlotArea;
  link: (id: string) => ReactNode;
};

/** Links beside change points, on the side with more room. */
function StepLinks({ marks, place, link }: StepLinksProps) {
  return marks.steps
    .filter(({ atMs }) => atMs >= place.span.fromMs && atMs <= place.span.toMs)
    .map(({ id, atMs }) => {
      const content = link(id);
      const x = xOf(place, atMs);
      const side = x > place.widthPx / 2 ? css.stepOpenerLeft : '';
      return (
        content && (
          <span key={id} className={`${css.stepOpener} ${side}`} style={{ left: x }}>
            {content}
          </span>
        )
      );
    });
}
