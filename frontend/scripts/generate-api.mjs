// Generates src/api/generated from the OpenAPI document of the backend, with a copy of the document. Nothing is written when
// neither the document nor the generator changed. Options:
//   --from FILE   read the document from a file; default: print it with the backend's own code
//   --force       generate even if nothing changed
//   --release     record the API in src/api/released-api.json, the base of the next difference
//   --diff        generate nothing; print what changed since the recorded release
// SLOWPATH_PYTHON is the interpreter that has the backend; default: the one that the set-up installs.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import { describeApi, diffDescriptions, formatDescription } from './api-description.mjs';

const root = join(import.meta.dirname, '..');
const generated = join(root, 'src/api/generated');
const stamp = join(generated, 'source.sha256');
const released = join(root, 'src/api/released-api.json');

const { values: options } = parseArgs({
  options: {
    from: { type: 'string' },
    force: { type: 'boolean' },
    release: { type: 'boolean' },
    diff: { type: 'boolean' },
  },
});

function readDocument() {
  if (options.from) return readFileSync(options.from, 'utf8');
  const installed = join(root, '../.slowpath/venv/bin/python');
  const python = process.env.SLOWPATH_PYTHON ?? (existsSync(installed) ? installed : 'python3');
  return execFileSync(python, ['-m', 'slowpath.app'], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    env: { ...process.env, PYTHONPATH: join(root, '../backend') },
  });
}

/** The hash of all that the generated files depend on. */
function hashOf(document) {
  const hash = createHash('sha256').update(document);
  for (const file of [join(root, 'package.json'), import.meta.filename])
    hash.update(readFileSync(file));
  return `${hash.digest('hex')}\n`;
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
    if (like)
      throw new Error(
        `${path} cannot be distinguished from ${like}, which may be part of a snapshot`,
      );
  }
  const lines = marked.map((path) => `  '${path.slice('/api/v1'.length)}',\n`);
  return [
    '// This file is generated from the description of the API: its reads that are marked x-freezable\n\n',
    '/** Below /api/v1. */\n',
    `export const FREEZABLE: readonly string[] = [\n${lines.sort().join('')}];\n`,
  ].join('');
}

async function generate(document) {
  const scratch = mkdtempSync(join(tmpdir(), 'slowpath-api-'));
  try {
    const input = join(scratch, 'openapi.json');
    writeFileSync(input, document);
    await createClient({
      input,
      output: { path: generated, clean: true },
      logs: { level: 'error' },
      // No page requests the probes.
      parser: { filters: { operations: { exclude: ['/^GET \\/(healthz|readyz|metrics)$/'] } } },
      plugins: [
        '@hey-api/typescript',
        { name: '@hey-api/client-fetch', throwOnError: true, baseUrl: false },
        { name: '@hey-api/sdk', responseStyle: 'data', auth: false },
      ],
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  writeFileSync(join(generated, 'freezable.ts'), freezable(JSON.parse(document)));
  writeFileSync(join(generated, 'openapi.json'), document);
  writeFileSync(stamp, hashOf(document));
}

function printDifference(description) {
  const lines = diffDescriptions(JSON.parse(readFileSync(released, 'utf8')), description);
  console.log(
    lines.length > 0
      ? `API changes since the last release:\n${lines.join('\n')}`
      : 'The API is the same as in the last release.',
  );
}

const document = readDocument();
if (options.diff) printDifference(describeApi(JSON.parse(document)));
else {
  const isFresh = existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOf(document);
  if (options.force || !isFresh) await generate(document);
  if (options.release)
    writeFileSync(released, formatDescription(describeApi(JSON.parse(document))));
}
