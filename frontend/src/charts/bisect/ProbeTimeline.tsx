/** Probes over time in one lane per slot: the time until ready, the soak time, and the verdict. */
import { useRef } from 'react';
import { clockText } from '../../lib/times';
import { layOutProbeTimeline, type ProbeTimelineProbe } from '../../engine/bisect/probe-timeline';
import { useKeyHints, type KeyHintEntry } from '../../ui';
import { VerdictPoint, type ProbeVerdict } from './VerdictIcon';
import css from './bisect.module.css';
import { useElementWidth } from './use-element-width';

type TimelineProbe = ProbeTimelineProbe & { verdict: ProbeVerdict; description: string };
type ProbeTimelineProps = {
  probes: TimelineProbe[];
  /** Milliseconds since 1970. */
  now: number;
  chosen: number | null;
  onChoose: (number: number) => void;
};

const NAME_PX = 54;
const LANE_PX = 28;
const place = 'Probes';
const KEY_HINTS: readonly KeyHintEntry[] = [
  { keys: ['Enter'], words: 'show the measurements of the probe', place },
];

export function ProbeTimeline({ probes, now, chosen, onChoose }: ProbeTimelineProps) {
  const box = useRef<HTMLDivElement>(null);
  useKeyHints(KEY_HINTS);
  const width = useElementWidth(box);
  const laid = layOutProbeTimeline(probes, width - NAME_PX - 4, now);
  const height = laid.lanes.length * LANE_PX;
  const running = laid.boxes.some((one) => one.running);
  return (
    <div ref={box} className={css.lanes}>
      <svg width={width} height={height + 22} role="group" aria-label="Probes over time">
        {laid.lanes.map((name, lane) => (
          <g key={name} aria-hidden>
            <text x={NAME_PX - 8} y={lane * LANE_PX + 18} textAnchor="end" className={css.note}>
              {name}
            </text>
            <path d={`M${NAME_PX} ${(lane + 1) * LANE_PX - 0.5}H${width}`} className={css.grid} />
          </g>
        ))}
        <g transform={`translate(${NAME_PX} 0)`}>
          {laid.boxes.map((one) => {
            const probe = probes.find(({ number }) => number === one.number);
            if (!probe) return null;
            const y = one.lane * LANE_PX + 4;
            return (
              <g
                key={one.number}
                role="button"
                tabIndex={0}
                aria-label={probe.description}
                aria-pressed={one.number === chosen}
                className={css.probe}
                data-running={one.running || undefined}
                data-chosen={one.number === chosen || undefined}
                onClick={() => onChoose(one.number)}
                onKeyDown={(event) => {
                  if (event.key !== 'Enter' && event.key !== ' ') return;
                  event.preventDefault();
                  onChoose(one.number);
                }}
              >
                <rect x={one.x} y={y} width={one.width} height={20} className={css.box} />
                <rect x={one.x} y={y} width={one.readyWidth} height={20} className={css.ready} />
                {one.width > 16 && (
                  <VerdictPoint verdict={probe.verdict} x={one.x + 9} y={y + 10} />
                )}
                {one.width > 36 && (
                  <text x={one.x + 18} y={y + 14} className={css.number}>
                    {one.number}
                  </text>
                )}
              </g>
            );
          })}
          <g aria-hidden>
            {running && <path d={`M${laid.nowX} 0V${height}`} stroke="var(--accent)" fill="none" />}
            {laid.ticks.map(({ x, at }) => (
              <text
                key={at}
                x={x}
                y={height + 16}
                textAnchor={x < 24 ? 'start' : x > width - NAME_PX - 40 ? 'end' : 'middle'}
                className={css.note}
              >
                {clockText(at, true)}
              </text>
            ))}
          </g>
        </g>
      </svg>
    </div>
  );
}
