/**
 * The probability of each candidate, with the levels of a bisect as one path. Bars are the
 * posterior, the dotted line is the prior, and the marks below are verdicts of probes. One
 * candidate is chosen by pointer or by arrow keys.
 */
import { useRef, type KeyboardEvent } from 'react';
import { layOutPosterior, type PosteriorLevelLayout } from '../../engine/bisect/posterior-layout';
import { useKeyHints, type KeyHintEntry } from '../../ui';
import { VerdictPoint, type ProbeVerdict } from './VerdictIcon';
import css from './bisect.module.css';
import { useElementWidth } from './use-element-width';

export type PosteriorChartLevel = {
  key: string;
  name: string;
  /** "4,096 commits, 211 candidates" */
  counts: string;
  belief: number[];
  before: number[];
  marks: { place: number; verdict: ProbeVerdict }[];
  /** Text below the two ends of the line: versions, or ids. */
  ends: [string, string];
  opened: number | null;
  /** The candidate with the highest posterior: "99.6%" and its id. */
  best: [string, string];
  /** The dependency update that leads to the next level, as text. */
  bump: string | null;
};

export type ChosenCandidate = { level: string; index: number };

type PosteriorChartProps = {
  levels: PosteriorChartLevel[];
  chosen: ChosenCandidate | null;
  onChoose: (chosen: ChosenCandidate) => void;
  /** Text for screen readers about the chosen candidate. */
  description: string;
};

const TOP_PX = 22;
const TALL_PX = 150;
const BELOW_PX = 54;
const MARK_PX = 10;
/** Size of the label of the best candidate: its width, and the height from its first baseline. */
const LABEL_PX = 72;
const BELOW_LABEL_PX = 25;

const place = 'Probability per candidate';
const KEY_HINTS: readonly KeyHintEntry[] = [
  { keys: ['←', '→'], words: 'previous, next candidate', place },
  { keys: ['Home', 'End'], words: 'first, last candidate', place },
];

export function PosteriorChart({ levels, chosen, onChoose, description }: PosteriorChartProps) {
  const box = useRef<HTMLDivElement>(null);
  useKeyHints(KEY_HINTS);
  const width = useElementWidth(box);
  const laid = layOutPosterior(levels, width, TALL_PX);
  const row = TOP_PX + TALL_PX + BELOW_PX;
  const height = laid.stacked ? row * levels.length : row;
  const all = levels.flatMap(({ key, belief }) =>
    belief.map((_, index) => ({ level: key, index })),
  );
  const at = chosen
    ? all.findIndex(({ level, index }) => level === chosen.level && index === chosen.index)
    : -1;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const to = step ? at + step : { Home: 0, End: all.length - 1 }[event.key];
    const next = to === undefined ? undefined : all[Math.max(0, Math.min(all.length - 1, to))];
    if (!next) return;
    event.preventDefault();
    onChoose(next);
  };
  return (
    <div
      ref={box}
      className={css.path}
      role="slider"
      tabIndex={0}
      aria-label="Probability per candidate"
      aria-valuemin={1}
      aria-valuemax={Math.max(1, all.length)}
      aria-valuenow={Math.max(0, at) + 1}
      aria-valuetext={description}
      onKeyDown={onKeyDown}
    >
      <svg width={width} height={height} aria-hidden>
        {levels.map((level, number) => {
          const part = laid.levels[number];
          if (!part) return null;
          const next = laid.levels[number + 1];
          return (
            <g
              key={level.key}
              transform={`translate(0 ${TOP_PX + (laid.stacked ? number * row : 0)})`}
            >
              {next && level.opened !== null && !laid.stacked && (
                <Way level={level} from={part.xOf(level.opened)} to={next.x} />
              )}
              <Level level={level} laid={part} chosen={chosen} onChoose={onChoose} />
              {level.bump !== null && laid.stacked && (
                <text x={0} y={TALL_PX + 40} className={css.note}>
                  {level.bump}
                </text>
              )}
            </g>
          );
        })}
      </svg>
    </div>
  );
}

type LevelProps = {
  level: PosteriorChartLevel;
  laid: PosteriorLevelLayout;
  chosen: ChosenCandidate | null;
  onChoose: (chosen: ChosenCandidate) => void;
};

function Level({ level, laid, chosen, onChoose }: LevelProps) {
  const { key, name, counts, marks, ends, best, belief } = level;
  const bestX = laid.xOf(laid.best);
  const left = bestX - laid.x > laid.width / 2;
  const bar = laid.bars.find(({ index }) => index === laid.best);
  const beside = (bar?.width ?? 0) / 2 + 8;
  const labelX = bestX + (left ? -beside : beside);
  const labelY = yOfLabel(laid, left ? labelX - LABEL_PX : labelX, bar?.y ?? TALL_PX);
  const here = chosen?.level === key ? chosen.index : null;
  return (
    <>
      <text x={laid.x} y={-8} className={css.level}>
        {name}
        <tspan dx={8} className={css.note}>
          {counts}
        </tspan>
      </text>
      <path d={`M${laid.x} ${TALL_PX + 0.5}h${laid.width}`} className={css.axis} />
      {here !== null && (
        <rect
          x={laid.xOf(here) - Math.max(1.5, laid.width / belief.length / 2)}
          width={Math.max(3, laid.width / belief.length)}
          y={4}
          height={TALL_PX - 4}
          className={css.chosen}
        />
      )}
      <path d={laid.before} className={css.before} />
      {laid.bars.map((bar) => (
        <rect
          key={bar.index}
          x={bar.x}
          y={bar.y}
          width={bar.width}
          height={bar.height}
          className={bar.index === laid.best ? css.best : css.bar}
        />
      ))}
      {best[0] !== '' && (
        <text x={labelX} y={labelY} textAnchor={left ? 'end' : 'start'} className={css.share}>
          {best[0]}
          <tspan x={labelX} dy={14} className={css.sha}>
            {best[1]}
          </tspan>
        </text>
      )}
      {marks.map(({ place, verdict }, number) => (
        <VerdictPoint
          key={number}
          verdict={verdict}
          x={place < 0 ? laid.x + 5 : laid.xOf(place)}
          y={TALL_PX + MARK_PX}
        />
      ))}
      <text x={laid.x} y={TALL_PX + 28} className={css.end}>
        {ends[0]}
      </text>
      <text x={laid.x + laid.width} y={TALL_PX + 28} textAnchor="end" className={css.end}>
        {ends[1]}
      </text>
      <rect
        x={laid.x}
        y={0}
        width={laid.width}
        height={TALL_PX + 18}
        className={css.target}
        onPointerDown={(event) => {
          const svg = event.currentTarget.ownerSVGElement?.getBoundingClientRect();
          onChoose({ level: key, index: laid.indexAt(event.clientX - (svg?.left ?? 0)) });
        }}
      />
    </>
  );
}

/** Returns the baseline of the first line of the label: beside the bar, or above other bars. */
function yOfLabel(laid: PosteriorLevelLayout, from: number, top: number): number {
  const beside = Math.max(12, Math.min(top + 10, TALL_PX - 24));
  const drawn = laid.topBetween(from, from + LABEL_PX);
  return Math.max(12, Math.min(beside, drawn - BELOW_LABEL_PX));
}

/** The line from the candidate that was opened, down and over into the next level. */
function Way({ level, from, to }: { level: PosteriorChartLevel; from: number; to: number }) {
  const low = TALL_PX + 34;
  const high = TALL_PX / 2;
  return (
    <>
      <path
        d={`M${from} ${TALL_PX + 18}V${low}H${to - 24}V${high}H${to - 8}`}
        className={css.way}
      />
      <path d={`M${to - 12} ${high - 4}l7 4-7 4z`} fill="var(--accent)" />
      <text x={from + 8} y={low + 13} className={css.note}>
        {level.bump}
      </text>
    </>
  );
}
