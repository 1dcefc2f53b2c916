/** Selects the view of a comparison that matches the choices of the user. No side effects. */
import type { ViewDescription } from '../../../../api';
import type { Granularity } from '../../../../engine/flame/flame-view';

export type RequestedView = { kind: string; sampleType: string; granularity: Granularity };

/** Returns the profile kinds of the views, in the order of the comparison. */
export function kindsOf(views: ViewDescription[]): string[] {
  return [...new Set(views.map(({ kind }) => kind))];
}

export function sampleTypesOf(views: ViewDescription[], kind: string): string[] {
  return [...new Set(views.filter((view) => view.kind === kind).map((view) => view.sample_type))];
}

/** Fills in missing and unknown choices from the first view of the kind. */
export function selectView(views: ViewDescription[], wanted: RequestedView): RequestedView {
  const kinds = kindsOf(views);
  const kind = kinds.includes(wanted.kind) ? wanted.kind : (kinds[0] ?? '');
  const types = sampleTypesOf(views, kind);
  const sampleType = types.includes(wanted.sampleType) ? wanted.sampleType : (types[0] ?? '');
  return { kind, sampleType, granularity: wanted.granularity };
}

/** Returns the view, which may still be running; null if it was not requested yet. */
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
