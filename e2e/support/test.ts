// What a journey is given: `import { expect, expectAccessible, test } from '../support/test'`.
//   person   somebody new, signed in, with an empty team; `page` belongs to them
//   quiet    (always) the page has thrown no error and broken no content security policy when the journey ends
import { test as base, expect } from '@playwright/test';

import { type Person, signUp } from './people';

export { expect };
export { expectAccessible } from './accessible';
export { api, type Person, signUp, succeeded } from './people';

export const test = base.extend<{ person: Person; quiet: undefined }>({
  person: async ({ context, baseURL }, use) => {
    if (baseURL === undefined) throw new Error('run the journeys with `npm run test:e2e`');
    await use(await signUp(context.request, baseURL));
  },
  quiet: [
    async ({ page }, use) => {
      const noises: string[] = [];
      page.on('pageerror', (error) => noises.push(`${error.name}: ${error.message}`));
      page.on('console', (message) => {
        if (message.text().includes('Content Security Policy')) noises.push(message.text());
      });
      await use(undefined);
      expect(noises).toEqual([]);
    },
    { auto: true },
  ],
});
