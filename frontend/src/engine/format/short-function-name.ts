/** Names of functions, cut to what distinguishes them on a page; the title has the whole name. */

/** A function without the folders of its package: "ident.(*Pool).Clone". Folders before brackets only. */
export function shortName(name: string): string {
  const bracket = name.indexOf('[');
  const head = bracket < 0 ? name : name.slice(0, bracket);
  const slash = head.lastIndexOf('/');
  return slash < 0 ? name : name.slice(slash + 1);
}

/** What {@link shortName} leaves out: "example.com/agentlite/internal". */
export function foldersOf(name: string): string {
  return name.slice(0, Math.max(0, name.length - shortName(name).length - 1));
}
