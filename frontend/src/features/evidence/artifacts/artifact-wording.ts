/** Labels of artifacts and their states. */
import type { Artifact } from '../../../api';
import { countOf, durationText } from '../../../ui';
import type { Glyph } from '../../../ui';

type ArtifactKindId = NonNullable<Artifact['kind']>;

/** The names of each artifact kind of the API, singular and plural, in the order of lists. */
const KINDS: Record<ArtifactKindId, { one: string; several: string }> = {
  'profile.cpu': { one: 'CPU profile', several: 'CPU profiles' },
  'profile.heap': { one: 'heap profile', several: 'Heap profiles' },
  'profile.allocs': { one: 'allocations profile', several: 'Allocation profiles' },
  'profile.mutex': { one: 'mutex profile', several: 'Mutex profiles' },
  'profile.block': { one: 'block profile', several: 'Block profiles' },
  'profile.goroutine': { one: 'goroutine profile', several: 'Goroutine profiles' },
  'profile.threadcreate': { one: 'thread creation profile', several: 'Thread profiles' },
  'profile.other': { one: 'profile', several: 'Other profiles' },
  trace: { one: 'Go execution trace', several: 'Execution traces' },
  growth: { one: 'stack-growth log', several: 'Stack-growth logs' },
  spans: { one: 'spans', several: 'Distributed traces' },
  bench: { one: 'Go benchmark output', several: 'Benchmark output' },
  binary: { one: 'Go program', several: 'Go programs' },
  archive: { one: 'archive', several: 'archives' },
};

const isKnown = (kind: string): kind is ArtifactKindId => Object.hasOwn(KINDS, kind);

/** Returns the plural name of an artifact kind; other texts are unchanged. */
export const kindPlural = (kind: string): string => (isKnown(kind) ? KINDS[kind].several : kind);

function kindText(kind: string | null): string {
  if (kind === null) return 'type not detected yet';
  return isKnown(kind) ? KINDS[kind].one : kind.replace(/[.-]/g, ' ');
}

/** Describes an artifact by what is known of it, such as "CPU profile, 30 s, 100 Hz, go1.26.3". */
export function describe(
  artifact: Pick<Artifact, 'kind' | 'profile' | 'run_metadata'> &
    Partial<Pick<Artifact, 'trace' | 'growth' | 'spans' | 'binary'>>,
): string {
  const { profile, trace, growth, spans, binary, run_metadata } = artifact;
  const parts = [kindText(artifact.kind)];
  if (profile && profile.duration_ns > 0) parts.push(durationText(profile.duration_ns));
  if (profile?.kind === 'cpu' && profile.period > 0)
    parts.push(`${Math.round(1e9 / profile.period)} Hz`);
  if (trace) parts.push(durationText(trace.duration_ns), countOf(trace.gomaxprocs, 'P'));
  if (trace?.unreadable_range) parts.push('damaged');
  if (growth) parts.push(countOf(growth.sampled, 'sampled growth'));
  if (spans)
    parts.push(
      `${countOf(spans.traces, 'trace')} of ${countOf(spans.services, 'service')}`,
      countOf(spans.spans, 'span'),
    );
  if (binary) parts.push(binary.module, countOf(binary.modules, 'module'), binary.go_version);
  else if (run_metadata.go_version) parts.push(run_metadata.go_version);
  return parts.join(', ');
}

export const STATE_ICONS: Record<Artifact['state'], Glyph> = {
  received: 'waiting',
  decoding: 'running',
  decoded: 'done',
  invalid: 'failed',
  failed: 'failed',
};

/** Returns the state as text, such as "decoding, 61%". */
export function stateText(artifact: Pick<Artifact, 'state' | 'progress'>): string {
  return artifact.state === 'decoding' && artifact.progress > 0
    ? `decoding, ${Math.round(artifact.progress * 100)}%`
    : artifact.state === 'invalid'
      ? 'rejected'
      : artifact.state;
}

/** The options of the list's filter by kind. */
export const KIND_CHOICES = Object.entries(KINDS).map(([value, { one: label }]) => ({
  value,
  label,
}));

const WITH_STACKS: readonly string[] = ['trace', 'spans', 'growth'];

/** Returns whether an artifact may be a profile or have stacks: its kind may not be known yet. */
export function hasStacks({ kind, state }: Pick<Artifact, 'kind' | 'state'>): boolean {
  if (state === 'invalid' || state === 'failed') return false;
  return kind === null || kind.startsWith('profile.') || WITH_STACKS.includes(kind);
}

/** Returns whether the uploaded bytes are stored; an archive's only until it is decoded. */
export const hasOriginal = ({ kind, state }: Pick<Artifact, 'kind' | 'state'>): boolean =>
  kind !== 'archive' || state !== 'decoded';

/** Returns whether artifacts of a kind can be compared: programs and archives have no values. */
export const isCompared = (kind: Artifact['kind']): boolean =>
  kind !== 'binary' && kind !== 'archive';
