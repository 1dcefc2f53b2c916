/** Short names of functions; pages show the full name as the title of the element. */

/**
 * Removes the folders of a function's package: "ident.(*Pool).Clone". Folders within brackets (type
 * arguments) remain.
 */
export function shortName(name: string): string {
  const bracket = name.indexOf('[');
  const head = bracket < 0 ? name : name.slice(0, bracket);
  const slash = head.lastIndexOf('/');
  return slash < 0 ? name : name.slice(slash + 1);
}

/** Returns the folders that {@link shortName} removes: "example.com/agentlite/internal". */
export function foldersOf(name: string): string {
  return name.slice(0, Math.max(0, name.length - shortName(name).length - 1));
}
