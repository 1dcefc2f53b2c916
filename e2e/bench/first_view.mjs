/**
 * How long a comparison takes from navigation to its findings and its graph, in a headless Chromium with nothing cached.
 * Asked by bench.page_latency: SLOWPATH_URL, BENCH_CHROMIUM, BENCH_EMAIL, BENCH_PASSWORD, BENCH_PATH; prints one JSON object.
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { chromium } from 'playwright-core';

const executablePath = process.env['BENCH_CHROMIUM'];
const folder = path.dirname(executablePath);
const lacksLibraries = execFileSync('ldd', [executablePath], {
  encoding: 'utf8',
}).includes('not found');
const env = {
  ...process.env,
  FONTCONFIG_FILE: path.join(folder, 'fonts.conf'),
  ...(lacksLibraries ? { LD_LIBRARY_PATH: path.join(folder, 'al2023/lib') } : {}),
};
const RUNS = 5;
const origin = process.env['SLOWPATH_URL'];
const address = new URL(process.env['BENCH_PATH'], origin).href;

async function once(browser) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
  });
  const signedIn = await context.request.post(`${origin}/api/v1/session`, {
    headers: { Origin: origin },
    data: {
      email: process.env['BENCH_EMAIL'],
      password: process.env['BENCH_PASSWORD'],
    },
  });
  if (!signedIn.ok()) throw new Error(`signing in: ${signedIn.status()}`);
  const page = await context.newPage();
  await page.addInitScript(() => {
    const seen = { findings: 0, graph: 0 };
    globalThis.__seen = seen;
    const look = () => {
      const list = document.querySelector(
        '[role=list][aria-label^="Findings" i], ul[aria-label^="Findings" i], ol[aria-label^="Findings" i]',
      );
      if (!seen.findings && list?.querySelector('li, [role=listitem]'))
        seen.findings = performance.now();
      const canvas = document.querySelector('canvas');
      if (!seen.graph && canvas && canvas.width > 0) {
        const pixels = canvas
          .getContext('2d')
          ?.getImageData(0, 0, canvas.width, Math.min(canvas.height, 40)).data;
        if (pixels?.some((value) => value > 0)) seen.graph = performance.now();
      }
      if (!seen.findings || !seen.graph) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.goto(address);
  await page.waitForFunction(() => globalThis.__seen.findings && globalThis.__seen.graph, null, {
    timeout: 30_000,
  });
  const seen = await page.evaluate(() => globalThis.__seen);
  await context.close();
  return seen;
}

const browser = await chromium.launch({ executablePath, env });
const seen = [];
for (let run = 0; run < RUNS; run += 1) seen.push(await once(browser));
await browser.close();
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
console.log(
  JSON.stringify({
    findings_ms: median(seen.map(({ findings }) => findings)),
    graph_ms: median(seen.map(({ graph }) => graph)),
  }),
);
