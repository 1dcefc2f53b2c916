import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { server } from './server';

// What jsdom lacks of a browser: quiet stand-ins, in which nothing ever happens.
Object.defineProperty(window, 'matchMedia', {
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
Object.defineProperty(window, 'EventSource', { value: QuietEventSource });
window.HTMLElement.prototype.scrollIntoView = () => {};
window.scrollTo = () => {};
Object.defineProperty(document, 'fonts', {
  value: { ready: Promise.resolve(), load: () => Promise.resolve([]) },
});

// The machine may be busy with other parts' tests: waiting longer costs nothing when things come at once.
configure({ asyncUtilTimeout: 5000 });

beforeAll(() => {
  server.listen({ onUnhandledRequest: 'error' });
});
afterEach(() => {
  cleanup();
  server.resetHandlers();
});
afterAll(() => {
  server.close();
});
