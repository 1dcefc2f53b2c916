/** Labels cut to their width, cached between drawings: panning shows the same few hundred names. */
import { fitLabel, labelForms, visibleName } from '../../engine/flame/frame-label';

/** Maximum size, after which the cache is cleared: several screens fit into it. */
const CACHE_MAX = 20_000;
const ROOMS = 1024;

type Measure = (text: string) => number;

export class LabelCache {
  readonly #forms = new Map<number, readonly string[]>();
  readonly #fitted = new Map<number, string>();
  readonly #nameOf: (name: number) => string;
  readonly #measure: Measure;
  readonly #characterPx: number;

  /** @param characterPx width of one character of the code font. */
  constructor(nameOf: (name: number) => string, measure: Measure, characterPx: number) {
    this.#nameOf = nameOf;
    this.#measure = measure;
    this.#characterPx = characterPx;
  }

  /** Returns the label of a name for a width; `''` if not even three characters fit. */
  fit(name: number, roomPx: number): string {
    const room = Math.min(ROOMS - 1, Math.floor(roomPx / this.#characterPx));
    if (room < 3) return '';
    const key = name * ROOMS + room;
    const known = this.#fitted.get(key);
    if (known !== undefined) return known;
    if (this.#fitted.size > CACHE_MAX) this.#fitted.clear();
    const label = this.#cut(this.#formsOf(name), room, roomPx);
    this.#fitted.set(key, label);
    return label;
  }

  #formsOf(name: number): readonly string[] {
    let forms = this.#forms.get(name);
    if (forms === undefined) {
      forms = labelForms(visibleName(this.#nameOf(name)));
      this.#forms.set(name, forms);
    }
    return forms;
  }

  /** Latin letters have one width; wider letters of a fallback font are measured and cut to fit. */
  #cut(forms: readonly string[], room: number, roomPx: number): string {
    let label = fitLabel(forms, room);
    for (
      let less = room - 1;
      /[^ -ÿ…]/u.test(label) && less >= 3 && this.#measure(label) > roomPx;
      less--
    ) {
      label = fitLabel(forms, less);
    }
    return label;
  }
}
