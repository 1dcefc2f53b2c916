// Writes src/api/generated from the description that the running code prints; with --check only says whether it is fresh.
// SLOWPATH_PYTHON names the interpreter that has the backend; default: the one the start sets up.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';

const root = join(import.meta.dirname, '..');
const generated = join(root, 'src/api/generated');
const own = join(root, '../.slowpath/venv/bin/python');
const python = process.env.SLOWPATH_PYTHON ?? (existsSync(own) ? own : 'python3');
const scratch = mkdtempSync(join(tmpdir(), 'slowpath-api-'));

/** The contents of all files below a folder, by path. */
function filesIn(folder) {
  if (!existsSync(folder)) return new Map();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length + 1), readFileSync(path, 'utf8')];
    }),
  );
}

/** Whether some path is an instance of both templates. */
function meet(one, other) {
  const [a, b] = [one.split('/'), other.split('/')];
  return a.length === b.length && a.every((part, at) => part === b[at] || /\{/u.test(part + b[at]));
}

/**
 * The reads whose answers a report may hold, as the server marks them: a page sends no other ones. The server refuses a
 * path that an unmarked read would answer too, so there must be none.
 */
function freezable({ paths }) {
  const reads = Object.entries(paths).filter(
    ([path, { get }]) => get && path.startsWith('/api/v1/'),
  );
  const marked = reads.filter(([, { get }]) => get['x-freezable']).map(([path]) => path);
  for (const [path, { get }] of reads) {
    const like = get['x-freezable'] ? undefined : marked.find((other) => meet(path, other));
    if (like) throw new Error(`${path} can not be told from ${like}, which may be frozen`);
  }
  const lines = marked.map((path) => `  '${path.slice('/api/v1'.length)}',\n`);
  return [
    '// This file is generated from the description of the API: its reads that are marked x-freezable\n\n',
    '/** Below /api/v1. */\n',
    `export const FREEZABLE: readonly string[] = [\n${lines.sort().join('')}];\n`,
  ].join('');
}

async function generate(folder) {
  const description = execFileSync(python, ['-m', 'slowpath.app'], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    env: { ...process.env, PYTHONPATH: join(root, '../backend') },
  });
  const input = join(scratch, 'openapi.json');
  writeFileSync(input, description);
  await createClient({
    input,
    output: { path: folder, clean: true },
    logs: { level: 'error' },
    // Probes are not the page's business.
    parser: { filters: { operations: { exclude: ['/^GET \\/(healthz|readyz|metrics)$/'] } } },
    plugins: [
      '@hey-api/typescript',
      { name: '@hey-api/client-fetch', throwOnError: true, baseUrl: false },
      { name: '@hey-api/sdk', responseStyle: 'data', auth: false },
    ],
  });
  writeFileSync(join(folder, 'freezable.ts'), freezable(JSON.parse(description)));
}

let code = 0;
try {
  if (process.argv.includes('--check')) {
    const folder = join(scratch, 'generated');
    await generate(folder);
    const [fresh, kept] = [filesIn(folder), filesIn(generated)];
    const stale = [...new Set([...fresh.keys(), ...kept.keys()])].filter(
      (path) => fresh.get(path) !== kept.get(path),
    );
    if (stale.length > 0) {
      console.error(`The API client is stale: ${stale.join(', ')}. Run: npm run api`);
      code = 1;
    } else console.log(`API client is fresh: ${fresh.size} files`);
  } else await generate(generated);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
process.exit(code);
