/** Assigns selected artifacts to base and candidate: a proposal that the user can change. */
import type { Artifact } from '../../../api';
import { guessSides, type SideName } from './side-guess';

type Selected = Pick<Artifact, 'id' | 'name' | 'build_id' | 'profile' | 'created_at'>;

/** Returns the time of the recording, or else of the upload, in ms since 1970. */
const atMs = ({ profile, created_at }: Selected): number =>
  profile && profile.time_ns > 0 ? profile.time_ns / 1e6 : Date.parse(created_at);

/**
 * Assigns artifacts of two builds by build; others by their names, or else the older half to base
 * and the newer half to candidate.
 */
export function sidesOfSelection(artifacts: Selected[]): Record<SideName, string[]> {
  const ordered = [...artifacts].sort((a, b) => atMs(a) - atMs(b));
  const builds = [...new Set(ordered.map(({ build_id }) => build_id))];
  if (builds.length === 2 && !builds.includes(null))
    return idsBy(ordered, ({ build_id }) => (build_id === builds[0] ? 'base' : 'candidate'));
  const { sides } = guessSides(ordered.map((each) => ({ path: each.name, modified: atMs(each) })));
  if (sides.includes('base') && sides.includes('candidate'))
    return idsBy(ordered, (_, place) => sides[place] ?? 'base');
  const half = Math.ceil(ordered.length / 2);
  return idsBy(ordered, (_, place) => (place < half ? 'base' : 'candidate'));
}

function idsBy(
  artifacts: Selected[],
  sideOf: (artifact: Selected, place: number) => SideName,
): Record<SideName, string[]> {
  const ids: Record<SideName, string[]> = { base: [], candidate: [] };
  artifacts.forEach((each, place) => ids[sideOf(each, place)].push(each.id));
  return ids;
}
