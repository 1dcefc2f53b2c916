/** Registers the parts of ECharts that are used; its hook draws a chart on an element. */
import { LineChart } from 'echarts/charts';
import { GridComponent, MarkLineComponent, TooltipComponent } from 'echarts/components';
import * as echarts from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { useEffect, useRef, type RefObject } from 'react';
import { useTokens, type Tokens } from './color-tokens';

echarts.use([LineChart, GridComponent, MarkLineComponent, TooltipComponent, CanvasRenderer]);

export type ChartOption = echarts.EChartsCoreOption;

/**
 * Draws an option on an element, and again when the option, the color scheme or the size of the
 * element changes. The colors come from our tokens. An element without width, as in a hidden tab,
 * is not drawn on until it has some.
 */
export function useEChart(
  host: RefObject<HTMLDivElement | null>,
  optionOf: (tokens: Tokens) => ChartOption,
): void {
  const tokens = useTokens(host);
  const chart = useRef<echarts.ECharts | null>(null);
  const latest = useRef<() => void>(() => undefined);
  useEffect(() => {
    const draw = () => {
      const element = host.current;
      if (!element || !tokens || element.clientWidth === 0) return;
      chart.current ??= echarts.init(element, null, { renderer: 'canvas' });
      chart.current.setOption(optionOf(tokens), { notMerge: true });
    };
    latest.current = draw;
    draw();
  }, [host, tokens, optionOf]);
  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    const watcher = new ResizeObserver(() => {
      if (chart.current) chart.current.resize();
      else latest.current();
    });
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      chart.current?.dispose();
      chart.current = null;
    };
  }, [host]);
}
