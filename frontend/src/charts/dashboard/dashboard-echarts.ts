/**
 * ECharts for many small panels: it has only what draws lines, and a chart is created when its
 * panel comes near the visible part of the page, so that visible panels are drawn first.
 */
import { LineChart } from 'echarts/charts';
import { GridComponent } from 'echarts/components';
import * as echarts from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { useEffect, useRef, useState, type RefObject } from 'react';
import type { ChartOption } from '../plot/echarts';

echarts.use([LineChart, GridComponent, CanvasRenderer]);

const NEAR = '400px 0px';

/** Returns true once the element has come near the visible part of the page. */
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
 * Renders an option on an element in the given size, which is measured once for all panels. With a
 * null option, nothing is drawn yet.
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
