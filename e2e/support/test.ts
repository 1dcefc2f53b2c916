// What a journey is given: `import { expect, expectAccessible, test } from '../support/test'`.
//   person   a new user, signed in, with an empty team; `page` belongs to them
//   quiet    (always) no page has thrown or logged an error, broken the content security policy, or met a fault of
// the server
import { test as base, expect } from '@playwright/test';

import { type Person, signUp } from './users';

export { expect };
export { expectAccessible } from './axe-checks';
export { api, type Person, signUp, succeeded } from './users';

export const test = base.extend<{ person: Person; quiet: undefined }>({
  person: async ({ context, baseURL }, use) => {
    if (baseURL === undefined) throw new Error('run the journeys with `npm run test:e2e`');
    await use(await signUp(context.request, baseURL));
  },
  quiet: [
    async ({ context }, use) => {
      const noises: string[] = [];
      context.on('weberror', (thrown) => noises.push(String(thrown.error())));
      context.on('console', (message) => {
        const refused = message.text().startsWith('Failed to load resource'); // a 4xx is an answer, a 5xx is reported
        // below
        if (message.type() === 'error' && !refused) noises.push(message.text());
      });
      context.on('response', (answer) => {
        if (answer.status() >= 500) noises.push(`${String(answer.status())} ${answer.url()}`);
      });
      await use(undefined);
      expect(noises).toEqual([]);
    },
    { auto: true },
  ],
});
