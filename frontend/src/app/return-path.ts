/** Where to go after signing in: a path of this site only, never another host's. */
export function safeReturnPath(next: unknown): string {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? next : '/';
}
