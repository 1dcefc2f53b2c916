/**
 * Checks the format of stored documents, so that an unknown format is an error with a message and
 * not a broken page.
 */

type Formatted = { format: string };

/**
 * Returns the response as the type of its format.
 * @throws Error with a readable message when the response has another format.
 */
export function requireFormat<T extends Formatted>(
  response: unknown,
  format: T['format'],
  subject: string,
): T {
  const found = (response as Partial<Formatted> | null)?.format;
  if (found === format) return response as T;
  throw new Error(
    `This page cannot read ${subject} in the stored format ${typeof found === 'string' ? found : 'unknown'}.`,
  );
}
