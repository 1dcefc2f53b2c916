/**
 * Formats the user agent of a browser as "Firefox on Linux", which is enough to distinguish the
 * browsers of one user.
 */
const BROWSERS: [RegExp, string][] = [
  [/Edg\//u, 'Edge'],
  [/OPR\//u, 'Opera'],
  [/Firefox\//u, 'Firefox'],
  [/Chrom(?:e|ium)\//u, 'Chrome'],
  [/Safari\//u, 'Safari'],
];
const SYSTEMS: [RegExp, string][] = [
  [/Android/u, 'Android'],
  [/iPhone|iPad/u, 'iOS'],
  [/Windows/u, 'Windows'],
  [/Mac OS X/u, 'macOS'],
  [/Linux|X11/u, 'Linux'],
];

export function browserName(agent: string): string {
  const browser = BROWSERS.find(([pattern]) => pattern.test(agent))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(agent))?.[1];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? (agent || 'unknown');
}
