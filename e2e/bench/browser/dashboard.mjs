/**
 * Measures the dashboard in a headless Chromium without a GPU: 12 services, 24 panels of 720 points
 * over 24 hours, all visible. Measures the time from the start of the app until the last panel is
 * painted, and the work of the main thread per frame while the cursor moves. Prints one line of
 * JSON per measurement.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { withBenchPage } from './bench-page.mjs';
import { printResult, quantile, tracedFrames } from './frames.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), 'dashboard');
// The height of all rows.
const WHOLE = { width: 1440, height: 2000 };
const USUAL = { width: 1440, height: 900 };
const PANELS = 24;
const RUNS = 5;
const FRAMES = 240;
const FIRST_PAINT_GOAL_MS = 1500;
const CURSOR_GOAL_MS = 16;

/** Runs in the page. Resolves to the milliseconds until the given number of canvases is painted. */
function waitForPaint(paints) {
  const hasInk = (canvas) => {
    const drawing = canvas.getContext('2d');
    const pixels = drawing?.getImageData(0, 0, canvas.width, canvas.height).data;
    return pixels?.some((value) => value > 0) ?? false;
  };
  return new Promise((resolve) => {
    const seen = new Set();
    const check = () => {
      for (const canvas of document.querySelectorAll('canvas'))
        if (!seen.has(canvas) && hasInk(canvas)) seen.add(canvas);
      if (seen.size >= paints) resolve(performance.now() - globalThis.bench.startedMs);
      else requestAnimationFrame(check);
    };
    globalThis.bench.start();
    requestAnimationFrame(check);
  });
}

/**
 * Runs in the page. Moves the pointer back and forth over the panels, once per frame. Resolves to
 * the number of frames in which panels showed different times.
 */
function moveCursor(frames) {
  const lines = [...document.querySelectorAll('[data-cursor-line]')];
  const panel = lines[0].parentElement.parentElement;
  const box = panel.getBoundingClientRect();
  let apart = 0;
  return new Promise((resolve) => {
    let frame = 0;
    const step = () => {
      // After the previous frame, all panels have the same cursor position, or none yet.
      if (new Set(lines.map((line) => line.style.transform)).size > 1) apart += 1;
      const share = 0.5 - 0.48 * Math.cos(frame / 38);
      panel.dispatchEvent(
        new PointerEvent('pointermove', {
          clientX: box.left + 44 + (box.width - 46) * share,
          clientY: box.top + 40,
          bubbles: true,
          pointerId: 1,
        }),
      );
      frame += 1;
      if (frame < frames) requestAnimationFrame(step);
      else requestAnimationFrame(() => resolve(apart));
    };
    requestAnimationFrame(step);
  });
}

await withBenchPage(async (open) => {
  for (const [viewport, panels, words] of [
    [WHOLE, PANELS, 'all in the window'],
    [USUAL, 8, 'those in the window of 900 px'],
  ]) {
    const times = [];
    for (let run = 0; run < RUNS; run += 1) {
      const page = await open('', viewport);
      times.push(await page.evaluate(waitForPaint, panels));
      await page.close();
    }
    printResult(
      `dashboard.first_paint_${panels}`,
      `ms from the start of the app to ${panels} panels x 24 h painted, ${words}, median of ${RUNS}`,
      quantile(times, 0.5),
      FIRST_PAINT_GOAL_MS,
    );
  }
  const page = await open('', WHOLE);
  await page.evaluate(waitForPaint, PANELS);
  await page.waitForTimeout(500);
  let apart = 0;
  const { work, clock } = await tracedFrames(page, async () => {
    apart = await page.evaluate(moveCursor, FRAMES);
  });
  printResult(
    'dashboard.cursor_p95',
    `main-thread ms a frame (${clock}) while the cursor moves over ${PANELS} panels x 720 points, p95 of ${work.length} frames`,
    quantile(work, 0.95),
    CURSOR_GOAL_MS,
  );
  printResult('dashboard.cursor_apart', 'frames in which panels showed different times', apart, 0);
  console.error(
    `cursor: p50 ${quantile(work, 0.5).toFixed(2)} p95 ${quantile(work, 0.95).toFixed(2)} max ${Math.max(...work).toFixed(2)}`,
  );
  await page.close();
}, root);
