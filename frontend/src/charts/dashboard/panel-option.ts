/** The option of ECharts for the lines and areas of a panel; it draws no scales or labels. */
import type {
  LineMeaning,
  PanelLine,
  PanelModel,
  Points,
} from '../../engine/dashboard/dashboard-panel';
import type { TimeSpan } from '../../engine/dashboard/time-grid';
import type { ChartOption } from '../plot/echarts';
import type { TokenName, Tokens } from '../plot/color-tokens';
import { BOTTOM_PX, LEFT_PX, RIGHT_PX, TOP_PX } from './plot-area';

type LineStyle = { colour: TokenName; width: number; dash: 'solid' | number[]; opacity?: number };

function lineStyleOf(meaning: LineMeaning): LineStyle {
  switch (meaning.of) {
    case 'total':
      return { colour: 'q2', width: 1.2, dash: 'solid' };
    case 'instance':
      return { colour: 'q2', width: 0.8, dash: 'solid', opacity: 0.55 };
    case 'split':
      return meaning.place === 'other'
        ? { colour: 'control', width: 1.2, dash: 'solid' }
        : (SPLIT_STYLES[meaning.place] ?? SPLIT_STYLES[0]!);
    case 'against':
      return { colour: 'base-line', width: 1.3, dash: [4, 3], opacity: 0.9 };
    case 'gauge':
      return { colour: 'control', width: 1.3, dash: 'solid' };
    case 'status':
      return { colour: 'q1', width: 0, dash: 'solid' };
    case 'latency':
      return QUANTILE_STYLES[meaning.quantile];
  }
}

const SPLIT_STYLES: readonly LineStyle[] = [
  { colour: 'q3', width: 1.8, dash: 'solid' },
  { colour: 'q2', width: 1.4, dash: 'solid' },
  { colour: 'q2', width: 1.2, dash: [5, 3] },
];

const QUANTILE_STYLES: Record<'p50' | 'p90' | 'p99' | 'mean', LineStyle> = {
  p50: { colour: 'p-mean', width: 1.4, dash: [2, 2] },
  p90: { colour: 'q2', width: 1.5, dash: 'solid' },
  p99: { colour: 'q3', width: 1.8, dash: 'solid' },
  mean: { colour: 'text-2', width: 1.2, dash: [7, 3] },
};

const AREAS = {
  '2xx': { colour: 'q1', opacity: 0.62 },
  other: { colour: 'noise-line', opacity: 1 },
  '4xx': { colour: 'warn-mark', opacity: 1 },
  '5xx': { colour: 'err', opacity: 1 },
} as const;

const plain = {
  type: 'line',
  symbol: 'none',
  showSymbol: false,
  silent: true,
  dimensions: ['x', 'y'],
  emphasis: { disabled: true },
  clip: false,
} as const;

const unseen = { width: 0, opacity: 0 } as const;

function area(line: PanelLine, tokens: Tokens): object {
  const status = line.meaning.of === 'status' ? line.meaning.status : '2xx';
  const { colour, opacity } = AREAS[status];
  return {
    ...plain,
    data: line.points,
    lineStyle: unseen,
    areaStyle: { color: tokens[colour], opacity },
  };
}

/** Returns a band between two series: an invisible line, with an area stacked on it. */
function bandSeries(low: Points, high: Points, tokens: Tokens): object[] {
  const height = low.map((value, at) => (at % 2 === 0 ? value : (high[at] ?? NaN) - value));
  const stacked = { ...plain, stack: 'band', stackStrategy: 'all', lineStyle: unseen };
  return [
    { ...stacked, data: low },
    { ...stacked, data: height, areaStyle: { color: tokens.q3, opacity: 0.16 } },
  ];
}

function lineSeries({ meaning, points }: PanelLine, tokens: Tokens): object {
  const { colour, width, dash, opacity = 1 } = lineStyleOf(meaning);
  return {
    ...plain,
    data: points,
    lineStyle: { color: tokens[colour], width, type: dash, opacity, join: 'round' },
  };
}

export function panelOption(model: PanelModel, span: TimeSpan, tokens: Tokens): ChartOption {
  const bare = { type: 'value', show: false, animation: false } as const;
  return {
    animation: false,
    grid: { left: LEFT_PX, right: RIGHT_PX, top: TOP_PX, bottom: BOTTOM_PX },
    xAxis: { ...bare, min: 0, max: span.toMs - span.fromMs },
    yAxis: { ...bare, min: 0, max: 1 },
    series: [
      ...model.areas.map((each) => area(each, tokens)),
      ...model.bands.flatMap(({ low, high }) => bandSeries(low, high, tokens)),
      ...model.lines.map((each) => lineSeries(each, tokens)),
    ],
  };
}
