import '@testing-library/jest-dom/vitest';
import { cleanup, configure, getConfig } from '@testing-library/react';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { server } from './mock-api';

// What jsdom lacks of a browser: quiet stand-ins, in which nothing ever happens. Configurable, because one page serves
// many files, each of which sets them up.
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

// The machine may be busy with other parts' tests: waiting longer costs nothing when things come at once.
const { getElementError } = getConfig();
configure({
  asyncUtilTimeout: 15_000,
  // While something is awaited, each failed look is discarded: only the last one, after the timeout, prints the page.
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
