import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const bareImport = /^import '(\.[^']*)';/gm;

/** Modules that are imported for their effect alone, as paths below the folder of the frontend. */
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

// The bundler removes such an import, with the styles that its module loads, if package.json does not list the module.
test('every module that is imported for its effect is listed in package.json', () => {
  const { sideEffects } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const imported = bareImports();
  expect(imported).toContain('./src/ui/radio-styles.ts');
  expect([...imported].filter((path) => !sideEffects.includes(path))).toEqual([]);
});
