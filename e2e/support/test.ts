// The fixtures of journeys: `import { expect, expectAccessible, test } from '../support/test'`.
//   person   a new user with an empty team, who is signed in in `page`
//   quiet    (always) fails the test if a page throws or logs an error, violates the content
//            security policy, or receives a server error
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
        const refused = message.text().startsWith('Failed to load resource'); // a 4xx is allowed,
        // a 5xx is reported below
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
