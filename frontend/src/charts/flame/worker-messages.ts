/** The messages between page and worker. Every request has a number; its answer has the same. */
import type {
  LayoutRequest,
  Arranged,
  FlameModel,
  ZoomTarget,
} from '../../engine/flame/flame-model';
import type { NamePattern } from '../../engine/flame/flame-view';
import { NameTable } from '../../engine/flame/name-table';

export type Request =
  | { ask: 'open'; id: number; buffer: ArrayBuffer }
  | { ask: 'merge'; id: number; buffer: ArrayBuffer }
  | { ask: 'arrange'; id: number; request: LayoutRequest }
  | { ask: 'search'; id: number; pattern: NamePattern }
  | { ask: 'locate'; id: number; key: string }
  | { ask: 'find'; id: number; path: readonly string[] };

type NamesSent = { offsets: Uint32Array<ArrayBuffer>; bytes: Uint8Array<ArrayBuffer> };
export type ArrangedSent = Omit<Arranged, 'names'> & { names: NamesSent };
export type SearchFound = Pick<Arranged, 'hits' | 'problems'>;

export type Answer =
  | { id: number; ok: true; value: null | ArrangedSent | SearchFound | ZoomTarget | number }
  | { id: number; ok: false; message: string };

/** Returns the arrays of an answer that can be transferred instead of copied. */
export function transferred(value: unknown, found = new Set<ArrayBuffer>()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer) found.add(value.buffer);
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) transferred(part, found);
  }
  return found;
}

function arrangedSent(arranged: Arranged): ArrangedSent {
  // The model still uses its names, so a copy is sent.
  return {
    ...arranged,
    names: { offsets: arranged.names.offsets.slice(), bytes: arranged.names.bytes.slice() },
  };
}

export function arrangedReceived(sent: ArrangedSent): Arranged {
  return { ...sent, names: new NameTable(sent.names.offsets, sent.names.bytes) };
}

/** Executes a request. @throws what the model throws */
export function answer(
  model: FlameModel,
  request: Request,
): Extract<Answer, { ok: true }>['value'] {
  switch (request.ask) {
    case 'open':
      model.open(request.buffer);
      return null;
    case 'merge':
      model.merge(request.buffer);
      return null;
    case 'arrange': {
      const arranged = model.arrange(request.request);
      return arranged === null ? null : arrangedSent(arranged);
    }
    case 'search':
      return model.search(request.pattern);
    case 'locate':
      return model.locate(request.key);
    case 'find':
      return model.findShown(request.path);
  }
}
