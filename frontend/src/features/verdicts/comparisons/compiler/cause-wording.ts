/**
 * Texts on how to check the fix of a finding: the values that must change, and the command that
 * measures them again. No side effects.
 */
import type { Finding } from '../../../../api';
import { normalizationPhrase } from '../../../../engine/format/change-wording';
import { formatValue, unitOf } from '../../../../engine/format/format';
import type { CliCommand } from '../../../platform/cli';
import { partName, waiterLabel, shortName, type Part } from '../shared/comparison-wording';

/** Kinds of profile that are snapshots, as `slowpath collect --snapshots` names them. */
const SNAPSHOTS = ['heap', 'allocs', 'goroutine', 'block', 'mutex', 'threadcreate'];

function subjectOf(finding: Finding): Part {
  if (finding.kind === 'profile.function') return { text: shortName(finding.subject), code: true };
  if (finding.kind.startsWith('trace.')) return { text: traceSubject(finding) };
  const part = partName(finding.subject, finding.kind);
  return part.code ? part : { text: part.text.charAt(0).toUpperCase() + part.text.slice(1) };
}

/**
 * Returns what a finding of execution traces measures, in the words of its sentence: "p99 scheduler
 * latency of main.batcher".
 */
function traceSubject({ sentence, subject }: Finding): string {
  return /^(.+?): [\d.,]+ \S+ → /u.exec(sentence)?.[1] ?? waiterLabel(subject);
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

/**
 * Puts the flags of commands in a text, such as -gcflags=-m, in monospace and without line breaks.
 */
export const withFlags = (text: string): Part[] =>
  text
    .split(/(?<=[\s(])(-[a-z][\w-]*(?:=[\w./=-]*\w)?)/u)
    .map((part, index) =>
      index % 2 === 0 ? { text: part } : { text: part, code: true, whole: true },
    );

/** Returns a word of a command, quoted if a shell would interpret it. */
const shellWord = (text: string): string =>
  /^[\w.+/-]+$/u.test(text) && !text.startsWith('-')
    ? text
    : `'./${text.replaceAll("'", `'\\''`)}'`;

/**
 * Returns the command that records the same kind of evidence from a process into a folder named
 * after its service; null if there is nothing to record.
 */
export function collectCommand(
  { kind, profile_kind: profile }: Finding,
  service: string,
  { fetched, word }: CliCommand,
): string | null {
  const recordings = recordingsOf(kind, profile);
  if (recordings === null) return null;
  const folder = service === '' ? '' : ` --out ${shellWord(service)}`;
  return [...fetched, `${word} collect localhost:6060 ${recordings}${folder}`].join(' && ');
}

function recordingsOf(kind: string, profile: string): string | null {
  if (kind.startsWith('trace.')) return '--profiles 0 --trace 5';
  if (!kind.startsWith('profile.')) return null;
  if (SNAPSHOTS.includes(profile)) return `--profiles 0 --snapshots ${profile}`;
  return profile === 'cpu' || profile === '' ? '--profiles 10' : null;
}
