import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const bareImport = /^import '(\.[^']*)';/gm;

/** Returns the modules that are imported only for side effects, relative to the frontend folder. */
function bareImports() {
  const found = new Set();
  for (const name of readdirSync(join(root, 'src'), { recursive: true })) {
    const file = join('src', name);
    if (!/\.tsx?$/.test(file) || /\.test\.|\/testing\//.test(file)) continue;
    for (const [, path] of readFileSync(join(root, file), 'utf8').matchAll(bareImport)) {
      if (!path.endsWith('.css')) found.add(`./${normalize(join(dirname(file), path))}.ts`);
    }
  }
  return found;
}

// If package.json does not list the module, the bundler removes the import and the module's styles.
test('every module that is imported for its effect is listed in package.json', () => {
  const { sideEffects } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const imported = bareImports();
  expect(imported).toContain('./src/ui/radio-styles.ts');
  expect([...imported].filter((path) => !sideEffects.includes(path))).toEqual([]);
});
