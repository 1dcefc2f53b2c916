/** Labels of runners: which of them a search is for. */
export type Labels = Record<string, string>;

export const labelTexts = (labels: Labels): string[] =>
  Object.entries(labels).map(([name, value]) => `${name}=${value}`);

/** Text that is not `name=value` is ignored; of two of one name the later one. */
export const labelsOf = (texts: readonly string[]): Labels =>
  Object.fromEntries(
    texts
      .map((text) => text.split('='))
      .filter(([name, ...value]) => name?.trim() && value.length > 0)
      .map(([name = '', ...value]) => [name.trim(), value.join('=').trim()]),
  );

export const hasLabels = (runner: { labels: Labels }, wanted: Labels): boolean =>
  Object.entries(wanted).every(([name, value]) => runner.labels[name] === value);
