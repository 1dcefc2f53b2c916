// The app's shell with its first route (the list of comparisons) must not outgrow its limit; the graph is loaded later.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const LIMIT_BYTES = 250_000;
const dist = join(import.meta.dirname, '../dist');
const manifestPath = join(dist, '.vite/manifest.json');
if (!existsSync(manifestPath)) {
  console.error('There is no build to measure. Run: npm run build');
  process.exit(1);
}
const manifest = JSON.parse(readFileSync(manifestPath, 'utf8'));

const files = new Set();
function take(key) {
  const chunk = manifest[key];
  if (!chunk || files.has(chunk.file)) return;
  files.add(chunk.file);
  for (const style of chunk.css ?? []) files.add(style);
  for (const other of chunk.imports ?? []) take(other);
}
take('index.html');
take('src/app/pages/ComparisonsPage.tsx');

const sizes = [...files].map((file) => ({
  file,
  bytes: gzipSync(readFileSync(join(dist, file)), { level: 9 }).length,
}));
const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
const heavy = [...files].filter((file) => /Flame|echarts/i.test(file));
for (const { file, bytes } of sizes.sort((a, b) => b.bytes - a.bytes).slice(0, 6))
  console.log(`${String(bytes).padStart(8)}  ${file}`);
console.log(`first route: ${total} bytes gzipped in ${files.size} files, limit ${LIMIT_BYTES}`);
if (heavy.length > 0) console.error(`loaded too early: ${heavy.join(', ')}`);
if (total > LIMIT_BYTES || heavy.length > 0) process.exit(1);
