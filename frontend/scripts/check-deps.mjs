// Checks the dependency rules, and fails if dependency-cruiser did not read all files: if it cannot
// use the installed TypeScript, it reads nothing and reports "no violations".
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(import.meta.dirname, '..');
const cruiser = join(
  fileURLToPath(import.meta.resolve('dependency-cruiser')),
  '../../../bin/dependency-cruise.mjs',
);

const files = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
  .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));

let output;
try {
  output = execFileSync(
    process.execPath,
    [cruiser, 'src', '--config', '.dependency-cruiser.cjs', '--output-type', 'json'],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
} catch (error) {
  output = error.stdout; // the exit status is the number of violations; the report is still printed
}
const report = JSON.parse(output);
const read = new Set(report.modules.map((module) => module.source));
const unread = files.filter((file) => !read.has(file));

for (const { rule, from, to } of report.summary.violations)
  console.error(`${rule.name}: ${from} -> ${to}`);
if (unread.length > 0)
  console.error(`not read: ${unread.slice(0, 10).join(', ')}${unread.length > 10 ? ', ...' : ''}`);
if (unread.length > 0 || report.summary.error > 0) process.exit(1);
console.log(
  `dependency rules kept: ${files.length} files read, ${report.summary.totalDependenciesCruised} dependencies`,
);
