/**
 * Builds a page of a benchmark, serves it on the loopback interface, and opens it in a headless
 * Chromium without a GPU.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { build } from 'vite';
import react from '@vitejs/plugin-react';

const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
};

async function executable() {
  const given = process.env['CHROMIUM'];
  if (given !== undefined) return given;
  const system = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
    (file) => existsSync(file),
  );
  if (system !== undefined) return system;
  const { default: packed } = await import('@sparticuz/chromium');
  return packed.executablePath();
}

function serve(folder) {
  const server = createServer((request, response) => {
    const name = path.join(
      folder,
      path.normalize(new URL(request.url ?? '/', 'http://localhost').pathname),
    );
    const file =
      existsSync(name) && statSync(name).isDirectory() ? path.join(name, 'index.html') : name;
    if (!file.startsWith(folder) || !existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response
      .writeHead(200, { 'Content-Type': TYPES[path.extname(file)] ?? 'application/octet-stream' })
      .end(readFileSync(file));
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve({ server, port: server.address().port });
    });
  });
}

/**
 * Calls `use` with `open(query, viewport)`, which returns a page whose drawing has not started;
 * closes everything afterwards.
 * @param root the folder of the page
 */
export async function withBenchPage(use, root) {
  const folder = await mkdtemp(path.join(tmpdir(), 'slowpath-bench-'));
  const cleanup = [() => rm(folder, { recursive: true, force: true })];
  try {
    await build({
      configFile: false,
      root,
      logLevel: 'error',
      plugins: [react()],
      worker: { format: 'es' },
      build: { outDir: folder, emptyOutDir: true, target: 'es2022' },
    });
    const { server, port } = await serve(folder);
    cleanup.push(() => server.close());
    const browser = await chromium.launch({
      executablePath: await executable(),
      args: ['--disable-gpu', '--no-sandbox', '--force-color-profile=srgb'],
    });
    cleanup.push(() => browser.close());
    await use(async (query, viewport) => {
      const context = await browser.newContext({ viewport });
      const page = await context.newPage();
      page.on('pageerror', (error) => {
        console.error(`page: ${error.message}`);
      });
      await page.goto(`http://127.0.0.1:${port}/?${query}`);
      await page.waitForFunction(
        () => globalThis.document.fonts.status === 'loaded' && globalThis.bench !== undefined,
      );
      return page;
    });
  } finally {
    for (const undo of cleanup.reverse()) await undo();
  }
}
