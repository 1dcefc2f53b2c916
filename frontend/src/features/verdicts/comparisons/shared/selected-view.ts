/** Which of a comparison's views is meant by what was chosen. Pure. */
import type { ViewDescription } from '../../../../api';
import type { Granularity } from '../../../../engine/flame/flame-view';

export type RequestedView = { kind: string; sampleType: string; granularity: Granularity };

/** The kinds there are, in the comparison's own order. */
export function kindsOf(views: ViewDescription[]): string[] {
  return [...new Set(views.map(({ kind }) => kind))];
}

export function sampleTypesOf(views: ViewDescription[], kind: string): string[] {
  return [...new Set(views.filter((view) => view.kind === kind).map((view) => view.sample_type))];
}

/** What is wanted, with what was left open filled in from the first view of that kind. */
export function selectView(views: ViewDescription[], wanted: RequestedView): RequestedView {
  const kinds = kindsOf(views);
  const kind = kinds.includes(wanted.kind) ? wanted.kind : (kinds[0] ?? '');
  const types = sampleTypesOf(views, kind);
  const sampleType = types.includes(wanted.sampleType) ? wanted.sampleType : (types[0] ?? '');
  return { kind, sampleType, granularity: wanted.granularity };
}

/** The view as far as it is; null when it was not requested yet. */
export function findView(
  views: ViewDescription[],
  { kind, sampleType, granularity }: RequestedView,
): ViewDescription | null {
  const found = views.find(
    (view) =>
      view.kind === kind && view.sample_type === sampleType && view.granularity === granularity,
  );
  return found && found.state !== 'not-built' ? found : null;
}
