/** A function's name in the room there is: package dropped first, then the receiver, then cut. And hostile names made visible. */

/** Names are shown up to here; a profile may hold names of 64 KiB. */
const NAME_MAX_SHOWN = 400;

/**
 * First and last of the characters that would hide, reorder or break text: control characters, soft hyphen, joiners, fillers,
 * zero-width and bidirectional marks, line separators, lone surrogates, tags. Right-to-left letters are text like any other.
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

/** What nearly every name consists of. */
const PLAIN = /^[ -~·…]*$/u;

/** A name as it is safe to show: cut to `most` characters, what cannot be seen written as an escape. */
export function visibleName(name: string, most: number = NAME_MAX_SHOWN): string {
  // Cut before escaping, so that a name of 64 KiB costs no more than one of 400; not inside a pair.
  const cut =
    name.length > most ? `${name.slice(0, most).replace(/[\ud800-\udbff]$/u, '')}…` : name;
  if (PLAIN.test(cut)) return cut;
  let shown = '';
  for (const character of cut)
    shown += invisible(character.codePointAt(0) ?? 0) ? escaped(character) : character;
  return shown;
}

/** Where the parts before type arguments, receivers or parentheses end: dots and slashes behind it are not the package's. */
function bracketAt(name: string): number {
  const at = name.search(/[([]/u);
  return at < 0 ? name.length : at;
}

/**
 * Ever shorter forms of a Go name: whole, package without its path, without package, without receiver.
 * "net/http.(*conn).serve" -> "http.(*conn).serve", "(*conn).serve", "serve". Other names have one form.
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

/** "(*Pool).Clone" -> "Clone", "Pool.Clone" -> "Clone"; a closure keeps the function it is written in: "Clone.func". */
function withoutReceiver(local: string): string {
  const method = /^\((?:[^()[\]]|\[[^\]]*\])*\)\.(.+)$/u.exec(local)?.[1];
  if (method !== undefined) return method;
  const match = /^[^.([]+(?:\[[^\]]*\])?\.(.+)$/u.exec(local)?.[1];
  return match === undefined || /^func[\d.]*$/u.test(match) ? local : match;
}

/** The longest form that fits, else the shortest one cut with "…", else nothing. @param room in characters. */
export function fitLabel(forms: readonly string[], room: number): string {
  for (const form of forms) if (form.length <= room) return form;
  const shortest = forms.at(-1) ?? '';
  return room < 3 ? '' : `${shortest.slice(0, room - 1).replace(/[\ud800-\udbff]$/u, '')}…`;
}
