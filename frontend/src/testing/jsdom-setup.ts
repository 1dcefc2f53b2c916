import '@testing-library/jest-dom/vitest';
import { cleanup, configure, getConfig } from '@testing-library/react';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { server } from './mock-api';

// Replacements for what jsdom lacks, which do nothing. They are configurable, because several test
// files share one window and each of them defines the replacements.
Object.defineProperty(window, 'matchMedia', {
  configurable: true,
  value: (query: string) => ({
    matches: false,
    media: query,
    onchange: null,
    addListener: () => {},
    removeListener: () => {},
    addEventListener: () => {},
    removeEventListener: () => {},
    dispatchEvent: () => false,
  }),
});
window.ResizeObserver = class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
class QuietEventSource extends EventTarget {
  static readonly CLOSED = 2;
  readyState = 0;
  close() {}
}
Object.defineProperty(window, 'EventSource', { configurable: true, value: QuietEventSource });
window.HTMLElement.prototype.scrollIntoView = () => {};
window.scrollTo = () => {};
Object.defineProperty(document, 'fonts', {
  configurable: true,
  value: Object.assign(new EventTarget(), {
    ready: Promise.resolve(),
    load: () => Promise.resolve([]),
  }),
});

// The tests of other parts may use the machine. A long timeout does not slow down tests that pass.
const { getElementError } = getConfig();
configure({
  asyncUtilTimeout: 15_000,
  // Each failed attempt while waiting is discarded; only the last one, after the timeout, prints
  // the page.
  getElementError: (message, container) =>
    (getConfig() as { _disableExpensiveErrorDiagnostics?: boolean })
      ._disableExpensiveErrorDiagnostics
      ? new Error(message ?? '')
      : getElementError(message, container),
});

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => {
  cleanup();
  server.resetHandlers();
});
afterAll(() => {
  server.close();
  window.localStorage.clear();
  window.sessionStorage.clear();
});
