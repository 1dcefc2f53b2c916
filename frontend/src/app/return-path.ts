/** Returns where to go after signing in: a path of this site, never a URL of another host. */
export function safeReturnPath(next: unknown): string {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? next : '/';
}
