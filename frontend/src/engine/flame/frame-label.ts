/**
 * Fits function names into a width: first without the package, then without the receiver, then cut.
 * Also shows invisible characters of untrusted names.
 */

/** The longest name that is shown; a profile may contain names of 64 KiB. */
const NAME_MAX_SHOWN = 400;

/**
 * First and last of ranges of characters that would hide, reorder or break text: control
 * characters, soft hyphen, joiners, fillers, zero-width and bidirectional marks, line separators,
 * lone surrogates, tags. Right-to-left letters are ordinary text.
 */
const INVISIBLE: readonly (readonly [number, number])[] = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0xe0000, 0xe0fff],
];

function invisible(code: number): boolean {
  return INVISIBLE.some(([first, last]) => code >= first && code <= last);
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Nearly every name consists of these characters only. */
const PLAIN = /^[ -~·…]*$/u;

/** Makes a name safe to show: cut to `most` characters, with escapes for invisible ones. */
export function visibleName(name: string, most: number = NAME_MAX_SHOWN): string {
  // The cut precedes escaping, so that long names are not slow; it does not split surrogate pairs.
  const cut =
    name.length > most ? `${name.slice(0, most).replace(/[\ud800-\udbff]$/u, '')}…` : name;
  if (PLAIN.test(cut)) return cut;
  let shown = '';
  for (const character of cut)
    shown += invisible(character.codePointAt(0) ?? 0) ? escaped(character) : character;
  return shown;
}

/** Returns the index of the first bracket: dots and slashes after it are not of the package. */
function bracketAt(name: string): number {
  const at = name.search(/[([]/u);
  return at < 0 ? name.length : at;
}

/**
 * Returns forms of a Go name, from long to short: full, without the path of the package, without
 * the package, without the receiver. "net/http.(*conn).serve" -> "http.(*conn).serve",
 * "(*conn).serve", "serve". Other names have one form.
 */
export function labelForms(name: string): readonly string[] {
  const forms = [name];
  const add = (form: string): void => {
    if (form !== '' && form.length < (forms.at(-1) ?? '').length) forms.push(form);
  };
  if (name.startsWith('[')) return forms;
  const head = name.slice(0, bracketAt(name));
  const afterPath = name.slice(head.lastIndexOf('/') + 1);
  add(afterPath);
  const dot = afterPath.indexOf('.');
  if (dot <= 0) return forms;
  const local = afterPath.slice(dot + 1);
  add(local);
  add(withoutReceiver(local));
  return forms;
}

/** "(*Pool).Clone" -> "Clone", "Pool.Clone" -> "Clone"; a closure remains "Clone.func". */
function withoutReceiver(local: string): string {
  const method = /^\((?:[^()[\]]|\[[^\]]*\])*\)\.(.+)$/u.exec(local)?.[1];
  if (method !== undefined) return method;
  const match = /^[^.([]+(?:\[[^\]]*\])?\.(.+)$/u.exec(local)?.[1];
  return match === undefined || /^func[\d.]*$/u.test(match) ? local : match;
}

/**
 * Returns the longest form that fits, otherwise the shortest one cut with "…", or "".
 * @param room in characters
 */
export function fitLabel(forms: readonly string[], room: number): string {
  for (const form of forms) if (form.length <= room) return form;
  const shortest = forms.at(-1) ?? '';
  return room < 3 ? '' : `${shortest.slice(0, room - 1).replace(/[\ud800-\udbff]$/u, '')}…`;
}
