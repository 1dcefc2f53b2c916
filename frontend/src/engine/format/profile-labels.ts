/** Names of runtime categories, kinds of evidence and sample types. */

const CATEGORIES: Record<string, string> = {
  total: 'everything',
  app: 'application',
  gc: 'garbage collection',
  lock: 'locks',
  'stack-growth': 'stack growth (morestack)',
  'gc-mark': 'GC mark',
  'gc-assist': 'GC assist',
  'gc-sweep': 'GC sweep',
  'gc-scavenge': 'GC scavenge',
  'gc-write-barrier': 'GC write barrier',
  'lock-runtime': 'runtime locks',
  'lock-sync': 'locks (sync)',
  'string-bytes': 'string and bytes',
  'memmove-memclr': 'memmove, memclr',
  'defer-panic': 'defer, panic',
  'time-read': 'reading the time',
  'finalizer-special': 'finalizers',
  'sync-pool-map-atomic': 'sync.Pool, sync.Map',
  'profiler-overhead': 'the profiler itself',
  'runtime-other': 'other runtime',
};

/** Returns the name of a runtime category. */
export function categoryLabel(id: string): string {
  return CATEGORIES[id] ?? id.replaceAll('-', ' ');
}

const KINDS: Record<string, string> = {
  cpu: 'CPU',
  heap: 'heap',
  allocs: 'allocations',
  mutex: 'mutex',
  block: 'block',
  'trace-cpu': 'CPU samples of traces',
  'trace-delay': 'scheduler latency',
  spans: 'distributed traces',
  'critical-path': 'critical paths',
  growth: 'stack growth',
  goroutine: 'goroutines',
  threadcreate: 'threads',
  trace: 'execution traces',
  bench: 'benchmarks',
};

/** Returns the name of a kind of evidence. */
export function kindLabel(kind: string): string {
  return KINDS[kind] ?? kind;
}

/** Names of what sample types measure, by pprof's name. */
const SAMPLE_TYPES: Record<string, string> = {
  cpu: 'CPU time',
  samples: 'samples',
  alloc_space: 'allocated bytes',
  alloc_objects: 'allocated objects',
  inuse_space: 'bytes in use',
  inuse_objects: 'objects in use',
  contentions: 'contentions',
  delay: 'delay',
  goroutine: 'goroutines',
  threadcreate: 'threads',
  sampled: 'sampled stack growths',
  growths: 'stack growths',
  copied: 'copied bytes',
};

/** Returns the name of a sample type, after the kind for contention and traces: "mutex delay". */
export function sampleTypeLabel(kind: string, type: string): string {
  const words = SAMPLE_TYPES[type] ?? type.replaceAll('_', ' ');
  if (kind === 'mutex' || kind === 'block') return `${kind} ${words}`;
  return kind.startsWith('trace-') || kind === 'critical-path' || kind === 'spans'
    ? `${kindLabel(kind)}: ${words}`
    : words;
}
