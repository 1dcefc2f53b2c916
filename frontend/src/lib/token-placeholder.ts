/**
 * The placeholder for a token's secret in commands to copy, until a token is created on the page.
 */
export type TokenScope = 'upload' | 'deploy' | 'runner';

export const tokenPlaceholder = (scope: TokenScope): string =>
  `PASTE-A-TOKEN-WITH-THE-SCOPE-${scope.toUpperCase()}`;
