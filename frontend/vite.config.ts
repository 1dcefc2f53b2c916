/// <reference types="vitest/config" />
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

// Where `npm run dev` finds the API. Production needs none of this: the API serves the built app itself.
const api = process.env.SLOWPATH_API ?? 'http://127.0.0.1:8000';

/** A packed copy beside every text file: the server hands it out as it is, and packs nothing while people wait. */
function packed(): Plugin {
  return {
    name: 'packed-copies',
    apply: 'build',
    writeBundle({ dir }) {
      if (!dir) return;
      for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !/\.(js|css|html|svg)$/.test(entry.name)) continue;
        const path = join(entry.parentPath, entry.name);
        writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  plugins: [react(), packed()],
  server: {
    host: '127.0.0.1',
    // The Origin check of the API compares with the Host it sees, so the browser's own Host is passed on.
    proxy: Object.fromEntries(
      ['/api', '/cli'].map((path) => [path, { target: api, changeOrigin: false }]),
    ),
  },
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    outDir: 'dist',
    manifest: true,
    // The licenses of the packages in the bundle.
    license: { fileName: 'licenses.md' },
    // Nothing is inlined as a data: URL: the content security policy allows 'self' only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
  },
  test: {
    css: { modules: { classNameStrategy: 'non-scoped' } },
    // A page around what needs none costs half a second a file: tests that need one are .tsx.
    projects: [
      {
        extends: true,
        // They share nothing that a test could leave behind: no separate process per file.
        test: {
          name: 'pure',
          environment: 'node',
          include: ['src/**/*.test.ts', 'scripts/**/*.test.mjs'],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'page',
          environment: 'jsdom',
          // The app is loaded once, not once a file: that was more than half of the time. What a test leaves in the page
          // is cleared in jsdom-setup.ts.
          isolate: false,
          setupFiles: ['src/testing/jsdom-setup.ts'],
          include: ['src/**/*.test.tsx'],
        },
      },
    ],
    testTimeout: 60_000,
    restoreMocks: true,
    unstubGlobals: true,
  },
});
