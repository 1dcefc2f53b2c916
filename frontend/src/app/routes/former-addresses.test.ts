import { describe, expect, it } from 'vitest';
import { presentAddress } from './former-addresses';

describe('presentAddress', () => {
  it.each([
    ['/t/a/board?env=e1#service-i', '/t/a/dashboard?env=e1#service-i'],
    [
      '/t/a/traces/1?wait=a.0&victim=main.f%7Csync',
      '/t/a/execution-traces/1?wait=a.0&waiter=main.f%7Csync',
    ],
    ['/t/a/reports/1/print?keep=labels-people', '/t/a/reports/1/print?keep=labels-users'],
    ['/t/a/files?q=cpu', '/t/a/artifacts?q=cpu'],
    ['/t/a/files/1', '/t/a/artifacts/1'],
    ['/t/a/traces/1?wait=2', '/t/a/execution-traces/1?wait=2'],
    ['/t/a/reports/1/print?keep=labels-people', '/t/a/reports/1/print?keep=labels-users'],
    ['/t/a/spans/1/traces/2', '/t/a/span-sets/1/traces/2'],
    ['/t/a/map', '/t/a/service-map'],
    ['/t/a/growth', '/t/a/stack-growth'],
    ['/t/a/stack-growth?psort=payer&pasc=true', '/t/a/stack-growth?psort=caller&pasc=true'],
    ['/forgotten-password', '/password-reset'],
    ['/new-password#secret', '/password-reset/confirm#secret'],
    ['/sign-in/return?code=1&state=2', '/sign-in/callback?code=1&state=2'],
  ])('maps %s to %s', (former, present) => expect(presentAddress(former)).toBe(present));

  it.each(['/t/a/dashboard', '/t/files/reports', '/t/a/filesystem', '/sign-in', '/t/a/mapping'])(
    'keeps %s unchanged',
    (address) => expect(presentAddress(address)).toBe(address),
  );
});
