/** Sidecar files: run metadata of `F` in `F.metadata.json`, formerly `F.facts.json`. */
import type { Facts } from '../../../api';

const ENDINGS = ['.metadata.json', '.facts.json'];

function endingOf(name: string): string | undefined {
  return ENDINGS.find((ending) => name.toLowerCase().endsWith(ending));
}

export function isMetadataName(name: string): boolean {
  return name.length > (endingOf(name)?.length ?? name.length);
}

/** Returns the path of the file whose metadata this sidecar holds. */
export function metadataOwner(path: string): string {
  return path.slice(0, path.length - (endingOf(path)?.length ?? 0));
}

/** Parses metadata as an object, or returns the error; the server validates each value. */
export function readMetadata(
  text: string,
): { facts: Facts; error: null } | { facts: null; error: string } {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (error) {
    return {
      facts: null,
      error: `Not valid JSON: ${error instanceof Error ? error.message : String(error)}.`,
    };
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read)) {
    return { facts: null, error: 'Not a JSON object such as {"requests": 14000}.' };
  }
  return { facts: read, error: null };
}
