/** Sidecar files: `F.facts.json` dropped beside F says what is known of F's run. */
import type { Facts } from '../../api';

const ENDING = '.facts.json';

export function isFactsName(name: string): boolean {
  return name.toLowerCase().endsWith(ENDING) && name.length > ENDING.length;
}

/** The path of the file whose facts this sidecar holds. */
export function factsOwner(path: string): string {
  return path.slice(0, -ENDING.length);
}

/** Facts as an object, or why they are none; the server checks each value. */
export function readFacts(
  text: string,
): { facts: Facts; error: null } | { facts: null; error: string } {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (error) {
    return {
      facts: null,
      error: `It is not JSON: ${error instanceof Error ? error.message : String(error)}.`,
    };
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read)) {
    return { facts: null, error: 'It holds no JSON object such as {"requests": 14000}.' };
  }
  return { facts: read, error: null };
}
