/** Layout of the probes of a bisect over time: one lane per slot and one box per probe. */

export type ProbeTimelineProbe = {
  number: number;
  slot: number | null;
  isControl: boolean;
  /** Milliseconds since 1970. */
  began: number;
  ready: number | null;
  ended: number | null;
};

type ProbeTimelineBox = {
  number: number;
  lane: number;
  x: number;
  width: number;
  /** The part of the width that shows the time until the probe was ready. */
  readyWidth: number;
  running: boolean;
};
type ProbeTimelineTick = { x: number; at: number };
type ProbeTimelineLayout = {
  lanes: string[];
  boxes: ProbeTimelineBox[];
  ticks: ProbeTimelineTick[];
  nowX: number;
};

const LEAST_BOX_PX = 5;
const STEPS_S = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800, 86_400, 172_800,
];
const TICK_PX = 84;

/** @param width of the lanes without their names, in CSS pixels; `now` in ms since 1970 */
export function layOutProbeTimeline(
  probes: readonly ProbeTimelineProbe[],
  width: number,
  now: number,
): ProbeTimelineLayout {
  const laid = probes.filter(({ slot }) => slot !== null);
  const slots = [
    ...new Set(laid.filter(({ isControl }) => !isControl).map(({ slot }) => slot ?? 0)),
  ].sort((a, b) => a - b);
  const hasControl = laid.some(({ isControl }) => isControl);
  const lanes = [...slots.map((slot) => `slot ${slot + 1}`), ...(hasControl ? ['control'] : [])];
  const from = Math.min(...laid.map(({ began }) => began), now);
  const to = Math.max(...laid.map(({ ended }) => ended ?? now), from + 1000);
  const perMs = width / (to - from);
  const xOf = (at: number): number => (at - from) * perMs;
  const boxes = laid.map(({ number, slot, isControl, began, ready, ended }) => {
    const end = ended ?? now;
    const box = Math.max(LEAST_BOX_PX, xOf(end) - xOf(began) - 2);
    return {
      number,
      lane: isControl ? lanes.length - 1 : slots.indexOf(slot ?? 0),
      x: Math.min(xOf(began), width - box),
      width: box,
      readyWidth: Math.min(box, xOf(ready ?? end) - xOf(began)),
      running: ended === null,
    };
  });
  return { lanes, boxes, ticks: ticksOf(from, to, width), nowX: Math.min(width, xOf(now)) };
}

function ticksOf(from: number, to: number, width: number): ProbeTimelineTick[] {
  const wanted = ((to - from) / 1000 / Math.max(1, width)) * TICK_PX;
  const step = (STEPS_S.find((one) => one >= wanted) ?? 172_800) * 1000;
  const ticks: ProbeTimelineTick[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step)
    ticks.push({ at, x: ((at - from) / (to - from)) * width });
  return ticks;
}
