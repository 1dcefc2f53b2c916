/**
 * Measures the flame graph in a headless Chromium without a GPU: the time from data to first frame,
 * and the work of the main thread per frame while it pans and zooms (all tasks of the renderer's
 * main thread in Chromium's trace, not only ours). Prints one line of JSON per measurement. Data:
 * 500,000 random nodes with a fixed seed.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { withBenchPage } from './bench-page.mjs';
import { printResult, quantile, tracedFrames } from './frames.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), 'flame');
const NODES = Number(process.env['NODES'] ?? '500000');
const VIEWPORT = { width: 1440, height: 700 };
const FRAMES = 360;
const FIRST_FRAME_GOAL_MS = 1000;
const FRAME_GOAL_MS = 8;

async function start(page) {
  await page.waitForTimeout(500);
  await page.evaluate(() => {
    globalThis.bench.start();
  });
  await page.waitForFunction(() => globalThis.bench.firstFrameMs !== null, null, {
    timeout: 60_000,
  });
  return page.evaluate(() => globalThis.bench.firstFrameMs);
}

/** Runs in the page. Zooms in, pans and zooms out, with one gesture per frame. */
function gestures(frames) {
  const canvas = document.querySelector('canvas');
  const box = canvas.getBoundingClientRect();
  const send = (kind, made) => canvas.dispatchEvent(made(kind));
  return new Promise((resolve) => {
    let frame = 0;
    const step = () => {
      const third = Math.floor((frame * 3) / frames);
      const x = box.left + box.width * (0.2 + 0.5 * Math.abs(Math.sin(frame / 40)));
      const y = box.top + 40;
      if (third === 1) {
        const at = frame - Math.ceil(frames / 3);
        const dragged = box.left + 200 + (at % 60) * 12;
        const kind =
          at % 60 === 0 ? 'pointerdown' : at % 60 === 59 ? 'pointercancel' : 'pointermove';
        send(
          kind,
          (type) =>
            new PointerEvent(type, {
              clientX: dragged,
              clientY: y,
              pointerId: 1,
              bubbles: true,
              pointerType: 'touch',
              isPrimary: true,
            }),
        );
      } else {
        const deltaY = third === 0 ? -14 : 14;
        send(
          'wheel',
          (type) =>
            new WheelEvent(type, {
              clientX: x,
              clientY: y,
              deltaY,
              ctrlKey: true,
              bubbles: true,
              cancelable: true,
            }),
        );
      }
      frame += 1;
      if (frame < frames) requestAnimationFrame(step);
      else resolve(undefined);
    };
    // setPointerCapture throws for synthetic pointers.
    canvas.setPointerCapture = () => undefined;
    requestAnimationFrame(step);
  });
}

async function measureGestures(open, name, query) {
  const page = await open(query, VIEWPORT);
  await start(page);
  await page.waitForFunction(() => document.querySelector('[aria-busy="false"]') !== null, null, {
    timeout: 60_000,
  });
  await page.waitForTimeout(1500);
  const { work, clock } = await tracedFrames(page, () => page.evaluate(gestures, FRAMES));
  printResult(
    `flame.${name}.frame_p95`,
    `main-thread ms a frame (${clock}) while panning and zooming, p95 of ${work.length} frames, ${NODES} nodes`,
    quantile(work, 0.95),
    FRAME_GOAL_MS,
  );
  console.error(
    `${name}: p50 ${quantile(work, 0.5).toFixed(2)} p95 ${quantile(work, 0.95).toFixed(2)} max ${Math.max(...work).toFixed(2)}`,
  );
  await page.close();
}

await withBenchPage(async (open) => {
  const view = (change) => encodeURIComponent(JSON.stringify(change));
  for (const [name, parts] of [
    ['first_part', 'parts'],
    ['whole', 'whole'],
  ]) {
    const page = await open(`nodes=${NODES}&parts=${parts}`, VIEWPORT);
    const milliseconds = await start(page);
    printResult(
      `flame.${name}.first_frame`,
      `ms from data to first frame, ${NODES} nodes${parts === 'whole' ? ' in one part' : ', the 8,192 largest first'}`,
      milliseconds,
      FIRST_FRAME_GOAL_MS,
    );
    await page.close();
  }
  await measureGestures(open, 'overlay', `nodes=${NODES}`);
  await measureGestures(
    open,
    'side_by_side',
    `nodes=${NODES}&view=${view({ mode: 'side-by-side' })}`,
  );
  await measureGestures(
    open,
    'searched',
    `nodes=${NODES}&view=${view({ search: { pattern: 'store', regex: true, caseSensitive: false } })}`,
  );
}, root);
