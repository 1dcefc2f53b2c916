import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * The viewer of a report that is one HTML file: one script and one style sheet, with fonts and the worker inside. The
 * server puts them and a recording into the file; nothing is fetched from anywhere.
 */
export default defineConfig({
  plugins: [react()],
  resolve: {
    alias: [
      { find: /^\.\/spawn-worker$/u, replacement: './spawn-worker-inside' },
      { find: /^\.\/routes\/help$/u, replacement: './routes/help-in-viewer' },
    ],
  },
  // Not a module: browsers start none from a file that was opened from a disk.
  worker: { format: 'iife' },
  build: {
    target: 'es2022',
    outDir: 'dist/viewer',
    copyPublicDir: false,
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    cssCodeSplit: false,
    modulePreload: false,
    sourcemap: false,
    // The script is large on purpose: it is everything.
    chunkSizeWarningLimit: 10_000,
    rolldownOptions: {
      input: 'src/app/viewer.tsx',
      output: {
        codeSplitting: false,
        entryFileNames: 'viewer.js',
        assetFileNames: 'viewer.[ext]',
      },
    },
  },
});
