/** What copied lines have where the secret of a token goes, until a token is created on the page. */
export type TokenScope = 'upload' | 'deploy' | 'runner';

export const tokenPlaceholder = (scope: TokenScope): string =>
  `PASTE-A-TOKEN-WITH-THE-SCOPE-${scope.toUpperCase()}`;
