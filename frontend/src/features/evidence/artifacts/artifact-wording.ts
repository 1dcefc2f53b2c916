/** Labels of artifacts and their states. Value in, words out. */
import type { Artifact } from '../../../api';
import { countOf, durationText } from '../../../ui';
import type { Glyph } from '../../../ui';

const KINDS: Record<string, string> = {
  'profile.cpu': 'CPU profile',
  'profile.heap': 'heap profile',
  'profile.allocs': 'allocations profile',
  'profile.mutex': 'mutex profile',
  'profile.block': 'block profile',
  'profile.goroutine': 'goroutine profile',
  'profile.threadcreate': 'thread creation profile',
  'profile.other': 'profile',
  trace: 'Go execution trace',
  growth: 'stack-growth log',
  spans: 'spans',
  'go-trace': 'Go execution trace',
  'growth-log': 'stack-growth log',
  'spans-otlp': 'spans (OTLP)',
  'spans-jaeger': 'spans (Jaeger)',
  'spans-zipkin': 'spans (Zipkin)',
  'metrics-text': 'metrics',
  bench: 'Go benchmark output',
  binary: 'Go program',
  zip: 'zip archive',
};

export function kindText(kind: string | null): string {
  if (kind === null) return 'type not detected yet';
  return KINDS[kind] ?? kind.replace(/[.-]/g, ' ');
}

/** "CPU profile, 30 s, 100 Hz, go1.26.3": what is known, nothing else. */
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
  else if (typeof run_metadata.go_version === 'string') parts.push(run_metadata.go_version);
  return parts.join(', ');
}

export const STATE_ICONS: Record<Artifact['state'], Glyph> = {
  received: 'waiting',
  decoding: 'running',
  decoded: 'done',
  invalid: 'failed',
  failed: 'failed',
};

/** "decoding, 61%" */
export function stateText(artifact: Pick<Artifact, 'state' | 'progress'>): string {
  return artifact.state === 'decoding' && artifact.progress > 0
    ? `decoding, ${Math.round(artifact.progress * 100)}%`
    : artifact.state === 'invalid'
      ? 'rejected'
      : artifact.state;
}

/** Kinds besides profiles that decode to a separate document. */
const DECODED = ['trace', 'spans', 'growth', 'bench', 'binary'];

/** For the filter of the list. */
export const KIND_CHOICES = Object.entries(KINDS)
  .filter(([kind]) => kind.startsWith('profile.') || DECODED.includes(kind))
  .map(([value, label]) => ({ value, label }));
