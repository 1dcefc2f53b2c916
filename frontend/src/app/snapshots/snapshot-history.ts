import { createMemoryHistory, type RouterHistory } from '@tanstack/react-router';

export const pathOf = (href: string): string => href.replace(/[?#].*$/u, '');

/**
 * Creates the history of a page inside a report: what the page shows may change, but it cannot be
 * left.
 */
export function createFixedHistory(href: string): RouterHistory {
  const history = createMemoryHistory({ initialEntries: [href] });
  const stays = (to: string): boolean => pathOf(to) === pathOf(href);
  const { push, replace } = history;
  history.push = (to, ...rest) => {
    if (stays(to)) push(to, ...rest);
  };
  history.replace = (to, ...rest) => {
    if (stays(to)) replace(to, ...rest);
  };
  return history;
}
