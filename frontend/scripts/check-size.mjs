// Checks the size of the app's shell with its first route (the list of comparisons, or the page of
// the dashboard); graphs and charts are loaded later. The dashboard with its charts has a separate
// limit.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const LIMIT_BYTES = 250_000;
const BOARD_LIMIT_BYTES = 500_000;
const dist = join(import.meta.dirname, '../dist');
const manifestPath = join(dist, '.vite/manifest.json');
if (!existsSync(manifestPath)) {
  console.error('There is no build to measure. Run: npm run build');
  process.exit(1);
}
const manifest = JSON.parse(readFileSync(manifestPath, 'utf8'));

/** Returns the files that some entries load, with their sizes. */
function loadedFor(entries) {
  const files = new Set();
  const take = (key) => {
    const chunk = manifest[key];
    if (!chunk || files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const style of chunk.css ?? []) files.add(style);
    for (const other of chunk.imports ?? []) take(other);
  };
  entries.forEach(take);
  const sizes = [...files].map((file) => ({
    file,
    bytes: gzipSync(readFileSync(join(dist, file)), { level: 9 }).length,
  }));
  return { files, sizes, total: sizes.reduce((sum, { bytes }) => sum + bytes, 0) };
}

const routes = ['src/app/pages/ComparisonsRoute.tsx', 'src/app/pages/DashboardRoute.tsx'];
const { files, sizes, total } = loadedFor(['index.html', ...routes]);
const heavy = [...files].filter((file) =>
  /FlameGraph|flame\.worker|echarts|installCanvas/i.test(file),
);
const board = loadedFor([
  'index.html',
  'src/app/pages/DashboardRoute.tsx',
  'src/features/evidence/dashboard/DashboardPage.tsx',
]);
for (const { file, bytes } of sizes.sort((a, b) => b.bytes - a.bytes).slice(0, 6))
  console.log(`${String(bytes).padStart(8)}  ${file}`);
console.log(`first route: ${total} bytes gzipped in ${files.size} files, limit ${LIMIT_BYTES}`);
console.log(
  `board: ${board.total} bytes gzipped in ${board.files.size} files, limit ${BOARD_LIMIT_BYTES}`,
);
if (heavy.length > 0) console.error(`loaded too early: ${heavy.join(', ')}`);
if (total > LIMIT_BYTES || board.total > BOARD_LIMIT_BYTES || heavy.length > 0) process.exit(1);
