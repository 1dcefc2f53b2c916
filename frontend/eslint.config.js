import js from '@eslint/js';
import hooks from 'eslint-plugin-react-hooks';
import globals from 'globals';
import tseslint from 'typescript-eslint';
import { componentProps } from './scripts/component-props.mjs';

export default tseslint.config(
  { ignores: ['dist', 'src/api/generated', 'public'] },
  js.configs.recommended,
  {
    files: ['src/**/*.{ts,tsx}', 'vite.config.ts', 'vite.viewer.config.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      globals: globals.browser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    plugins: { 'react-hooks': hooks },
    rules: {
      // An arrow function that only calls one function has no block.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      ...hooks.configs.recommended.rules,
      // noUncheckedIndexedAccess makes every read of a typed array optional; within a loop over its own length `!` says
      // what the loop has proven, and a default value there would hide a fault.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Numbers in template strings are what most of this program prints.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // A handler may hand an async function to onClick; rejections reach the mutation's own error state.
      '@typescript-eslint/no-misused-promises': [
        'error',
        { checksVoidReturn: { attributes: false } },
      ],
      // `type` reads the same for objects, unions and functions: one form.
      '@typescript-eslint/consistent-type-definitions': ['error', 'type'],
      '@typescript-eslint/only-throw-error': [
        'error',
        { allow: [{ from: 'package', package: '@tanstack/router-core', name: 'Redirect' }] },
      ],
      'no-restricted-globals': [
        'error',
        { name: 'fetch', message: 'Only api/api-client.ts calls fetch.' },
        { name: 'localStorage', message: 'Preferences live in ui/local-preferences.ts.' },
      ],
      'max-lines': ['warn', { max: 400, skipBlankLines: true, skipComments: true }],
    },
  },
  { files: ['src/api/api-client.ts', 'src/testing/**'], rules: { 'no-restricted-globals': 'off' } },
  { files: ['src/ui/local-preferences.ts'], rules: { 'no-restricted-globals': 'off' } },
  {
    files: ['src/**/*.test.{ts,tsx}', 'src/testing/**'],
    rules: {
      'max-lines': 'off',
      // Stand-ins for parts of a browser do nothing on purpose.
      '@typescript-eslint/no-empty-function': 'off',
    },
  },
  {
    // Loops over typed arrays: the index is bounded by the loop, and `?? 0` would hide a wrong one and cost time.
    files: ['src/engine/**', 'src/charts/flame/**', 'src/lib/uint-pair-map.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  {
    // A component or a hook that outgrows this does several things.
    files: ['src/**/*.tsx', 'src/**/use-*.ts'],
    ignores: ['src/**/*.test.tsx', 'src/testing/**'],
    plugins: { local: { rules: { 'component-props': componentProps } } },
    rules: {
      'max-lines-per-function': ['error', { max: 100, skipBlankLines: true, skipComments: true }],
      'local/component-props': ['error', { max: 8 }],
    },
  },
  { files: ['scripts/**', '*.cjs', '*.js'], languageOptions: { globals: globals.node } },
);
