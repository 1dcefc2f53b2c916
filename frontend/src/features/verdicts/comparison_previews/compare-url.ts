/**
 * The search parameters of a link to the choice of sides. A source is one short text, so links can
 * be written by hand and by programs: `build:ID`, `deployment:ID`, `artifacts:ID,ID`,
 * `ref:SERVICE:NAME`, `time:SERVICE:ENVIRONMENT:BEGIN/END` (times as in ISO 8601). `v` is the
 * version of this format.
 */
import * as z from 'zod/mini';
import type { SideSource } from '../../../api';
import {
  EMPTY_SIDE,
  SOURCE_KINDS,
  chooseSource,
  kindOfSource,
  labelsOf,
  withLabels,
  type SideChoice,
  type SidesChoice,
} from './side-choice';

const VERSION = 1;
/**
 * Enough for more artifacts than a side may have: the server rejects them with an error that has
 * the limit.
 */
const MOST_CHARACTERS = 40_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

const isId = (text: string | undefined): text is string => text !== undefined && UUID.test(text);

/** Parses the text of a source; null if it is invalid. */
export function parseSource(text: string): SideSource | null {
  const at = text.indexOf(':');
  const [type, rest] = [text.slice(0, at), text.slice(at + 1)];
  switch (type) {
    case 'build':
      return isId(rest) ? { type, build_id: rest } : null;
    case 'deployment':
      return isId(rest) ? { type, deployment_id: rest } : null;
    case 'artifacts': {
      const artifact_ids = rest.split(',');
      return artifact_ids.every(isId) ? { type, artifact_ids } : null;
    }
    case 'ref':
      return parseRef(rest);
    case 'time':
      return parseTimeRange(rest);
    default:
      return null;
  }
}

function parseRef(text: string): SideSource | null {
  const [service_id] = text.split(':', 1);
  const ref = text.slice((service_id?.length ?? 0) + 1);
  return isId(service_id) && ref !== '' && ref.length <= 300
    ? { type: 'ref', service_id, ref }
    : null;
}

function parseTimeRange(text: string): SideSource | null {
  const [service_id, environment_id, ...times] = text.split(':');
  const [begin, end] = times.join(':').split('/').map(parseTime);
  if (!isId(service_id) || !isId(environment_id) || !begin || !end || begin >= end) return null;
  return { type: 'time_range', service_id, environment_id, begin, end };
}

function parseTime(text: string): string | null {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

export function formatSource(source: SideSource): string {
  switch (source.type) {
    case 'build':
      return `build:${source.build_id}`;
    case 'deployment':
      return `deployment:${source.deployment_id}`;
    case 'artifacts':
      return `artifacts:${source.artifact_ids.join(',')}`;
    case 'ref':
      return `ref:${source.service_id}:${source.ref}`;
    case 'time_range':
      return `time:${source.service_id}:${source.environment_id}:${source.begin}/${source.end}`;
  }
}

/** Parses each field on its own: an invalid one gets its default, the others keep their values. */
const field = <T extends z.ZodMiniType>(type: T) => z.catch(z.optional(type), undefined);

const sourceText = z
  .string()
  .check(z.maxLength(MOST_CHARACTERS))
  .check(z.refine((text) => parseSource(text) !== null));
const labelText = z.string().check(z.maxLength(1000));
const labels = z
  .array(z.tuple([labelText.check(z.minLength(1)), z.nullable(labelText)]))
  .check(z.maxLength(5));
const id = z.string().check(z.regex(UUID));
const find = z.string().check(z.maxLength(200));

const searchSchema = z.object({
  v: field(z.literal(VERSION)),
  base: field(sourceText),
  candidate: field(sourceText),
  baseLabels: field(labels),
  candidateLabels: field(labels),
  baseBy: field(z.enum(SOURCE_KINDS)),
  candidateBy: field(z.enum(SOURCE_KINDS)),
  baseService: field(id),
  candidateService: field(id),
  baseFind: field(find),
  candidateFind: field(find),
});
type CompareSearch = z.infer<typeof searchSchema>;

/** Parses the search parameters and never throws. */
export const readCompareSearch = (search: Record<string, unknown>): CompareSearch =>
  searchSchema.parse(search);

type SideSearch = {
  text: string | undefined;
  labels: CompareSearch['baseLabels'];
  by: CompareSearch['baseBy'];
  service: string | undefined;
  find: string | undefined;
};

function sideOf({
  text,
  labels: pairs = [],
  by,
  service,
  find: typed = '',
}: SideSearch): SideChoice {
  const bare = text === undefined ? null : parseSource(text);
  const source =
    bare && pairs.length > 0
      ? withLabels(
          bare,
          pairs.map(([key, value]) => ({ key, value })),
        )
      : bare;
  const ofSource = source && 'service_id' in source ? source.service_id : '';
  const kind = by ?? (source ? kindOfSource(source) : 'build');
  return { kind, service: service ?? ofSource, find: typed, source };
}

export const choiceOf = (search: CompareSearch): SidesChoice => ({
  base: sideOf({
    text: search.base,
    labels: search.baseLabels,
    by: search.baseBy,
    service: search.baseService,
    find: search.baseFind,
  }),
  candidate: sideOf({
    text: search.candidate,
    labels: search.candidateLabels,
    by: search.candidateBy,
    service: search.candidateService,
    find: search.candidateFind,
  }),
});

/**
 * Returns the search parameters of a side: its source, and the values that the source does not
 * determine.
 */
function searchOfSide({ kind, service, find: typed, source }: SideChoice): SideSearch {
  const pairs = labelsOf(source).map(({ key, value }): [string, string | null] => [key, value]);
  const ofSource = source && 'service_id' in source ? source.service_id : '';
  const usual = source ? kindOfSource(source) : 'build';
  return {
    text: source ? formatSource(source) : undefined,
    labels: pairs.length > 0 ? pairs : undefined,
    by: kind === usual ? undefined : kind,
    service: service === ofSource || service === '' ? undefined : service,
    find: typed === '' ? undefined : typed,
  };
}

/** Returns the search parameters of a choice, without defaults. */
export function compareSearchOf({ base, candidate }: SidesChoice): CompareSearch {
  const [first, second] = [searchOfSide(base), searchOfSide(candidate)];
  const search: CompareSearch = {
    v: VERSION,
    base: first.text,
    candidate: second.text,
    baseLabels: first.labels,
    candidateLabels: second.labels,
    baseBy: first.by,
    candidateBy: second.by,
    baseService: first.service,
    candidateService: second.service,
    baseFind: first.find,
    candidateFind: second.find,
  };
  const chosen = Object.entries<unknown>(search).filter(([, value]) => value !== undefined);
  return Object.fromEntries(chosen);
}

type Sources = { base?: SideSource | null; candidate?: SideSource | null; service?: string };

/** Returns the search parameters of a page on which these sources are chosen. */
export function searchOfSources({ base, candidate, service = '' }: Sources): CompareSearch {
  const side = (source: SideSource | null | undefined) =>
    source ? chooseSource(source, { ...EMPTY_SIDE, service }) : { ...EMPTY_SIDE, service };
  return compareSearchOf({ base: side(base), candidate: side(candidate) });
}
