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
