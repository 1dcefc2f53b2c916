/**
 * ECharts for many small panels: only what draws lines, a chart made when its panel comes near the window, and one animation
 * frame for each few of them, so that what is seen is there first and the page answers in between.
 */
import { LineChart } from 'echarts/charts';
import { GridComponent } from 'echarts/components';
import * as echarts from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { useEffect, useRef, useState, type RefObject } from 'react';
import type { ChartOption } from '../plot/echarts';

echarts.use([LineChart, GridComponent, CanvasRenderer]);

const NEAR = '400px 0px';

/** True once the element has come near the window, and from then on. */
function useNear(host: RefObject<Element | null>): boolean {
  const [near, setNear] = useState(() => typeof IntersectionObserver === 'undefined');
  useEffect(() => {
    const element = host.current;
    if (near || !element) return undefined;
    const watcher = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
      },
      { rootMargin: NEAR },
    );
    watcher.observe(element);
    return () => watcher.disconnect();
  }, [host, near]);
  return near;
}

type Size = { widthPx: number; heightPx: number };

/**
 * Renders a chart of the option on the element in the given size: panels share one measurement. null = not to be
 * drawn yet.
 */
export function useDashboardChart(
  host: RefObject<HTMLDivElement | null>,
  option: ChartOption | null,
  { widthPx, heightPx }: Size,
): void {
  const chart = useRef<echarts.ECharts | null>(null);
  const near = useNear(host);
  useEffect(() => {
    const element = host.current;
    if (!element || !option || !near || widthPx === 0 || element.clientWidth === 0) return;
    const size = { width: widthPx, height: heightPx };
    if (chart.current) {
      if (chart.current.getWidth() !== widthPx || chart.current.getHeight() !== heightPx)
        chart.current.resize(size);
    } else {
      chart.current = echarts.init(element, null, { renderer: 'canvas', ...size });
    }
    chart.current.setOption(option, { notMerge: true, silent: true });
  }, [host, option, near, widthPx, heightPx]);
  useEffect(
    () => () => {
      chart.current?.dispose();
      chart.current = null;
    },
    [],
  );
}
