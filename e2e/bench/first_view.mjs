/**
 * Measures the time from navigation to the findings and the graph of a comparison, in a headless
 * Chromium with an empty cache. Run by bench.page_latency; prints one JSON object.
 */
import { address, median, openSignedIn, withBrowser } from './signed_in_browser.mjs';

const RUNS = 5;

async function once(browser) {
  const page = await openSignedIn(browser);
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
  await page.context().close();
  return seen;
}

const seen = await withBrowser(async (browser) => {
  const runs = [];
  for (let run = 0; run < RUNS; run += 1) runs.push(await once(browser));
  return runs;
});
console.log(
  JSON.stringify({
    findings_ms: median(seen.map(({ findings }) => findings)),
    graph_ms: median(seen.map(({ graph }) => graph)),
  }),
);
