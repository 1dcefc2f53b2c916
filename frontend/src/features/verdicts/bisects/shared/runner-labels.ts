/** Labels of runners. They decide which runners a bisect can use. */
export type Labels = Record<string, string>;

export const labelTexts = (labels: Labels): string[] =>
  Object.entries(labels).map(([name, value]) => `${name}=${value}`);

/**
 * Parses labels. Text that is not `name=value` is ignored; the later one of two with the same name
 * is used.
 */
export const labelsOf = (texts: readonly string[]): Labels =>
  Object.fromEntries(
    texts
      .map((text) => text.split('='))
      .filter(([name, ...value]) => name?.trim() && value.length > 0)
      .map(([name = '', ...value]) => [name.trim(), value.join('=').trim()]),
  );

export const hasLabels = (runner: { labels: Labels }, wanted: Labels): boolean =>
  Object.entries(wanted).every(([name, value]) => runner.labels[name] === value);
