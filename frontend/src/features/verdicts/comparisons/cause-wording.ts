/** How a finding's fix is checked: what must change from what to what, and the command that measures it again. Pure. */
import type { Finding } from '../../../api';
import { normalizationPhrase } from '../../../engine/format/change-wording';
import { formatValue, unitOf } from '../../../engine/format/format';
import { partName, shortName, type Part } from './comparison-wording';

/** Kinds of profile that are snapshots, as `slowpath collect --snapshots` names them. */
const SNAPSHOTS = ['heap', 'allocs', 'goroutine', 'block', 'mutex', 'threadcreate'];

function subjectOf(finding: Finding): Part {
  if (finding.kind === 'profile.function') return { text: shortName(finding.subject), code: true };
  const part = partName(finding.subject, finding.kind);
  return part.code ? part : { text: part.text.charAt(0).toUpperCase() + part.text.slice(1) };
}

export function checkParts(finding: Finding): Part[] {
  const unit = unitOf(finding.unit);
  const per = normalizationPhrase(unit);
  const value = (shown: number): string => formatValue(shown, unit);
  const after = per === '' ? '' : ` ${per}`;
  const { base, candidate } = finding;
  if (finding.direction === 'better')
    return [
      subjectOf(finding),
      { text: ` must stay at about ${value(candidate)}${after}, was ${value(base)}.` },
    ];
  const verb = candidate > base ? 'fall' : 'rise';
  const to = base === 0 ? 'nothing' : `about ${value(base)}`;
  return [subjectOf(finding), { text: ` must ${verb} from ${value(candidate)}${after} to ${to}.` }];
}

/** The command that records the same kind of evidence from a process; null where no process is recorded. */
export function collectCommand({ kind, profile_kind: profile }: Finding): string | null {
  const collect = 'slowpath collect localhost:6060';
  if (kind.startsWith('trace.')) return `${collect} --profiles 0 --trace 5`;
  if (!kind.startsWith('profile.')) return null;
  if (SNAPSHOTS.includes(profile)) return `${collect} --profiles 0 --snapshots ${profile}`;
  return profile === 'cpu' || profile === '' ? `${collect} --profiles 10` : null;
}
