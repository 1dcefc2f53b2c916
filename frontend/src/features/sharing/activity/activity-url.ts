/** Query parameters of the activity feed: kind, service and user. */
import * as z from 'zod/mini';

export const ACTIVITY_KINDS = [
  'regression',
  'comparison',
  'deployment',
  'comment',
  'report',
  'bisect',
  'artifact',
  'team',
] as const;

const field = <T extends z.ZodMiniType>(type: T) => z.catch(z.optional(type), undefined);
const id = z.string().check(z.maxLength(40));

const schema = z.object({ kind: field(z.enum(ACTIVITY_KINDS)), service: field(id), by: field(id) });
export type ActivitySearch = z.infer<typeof schema>;

export const readActivitySearch = (search: Record<string, unknown>): ActivitySearch =>
  schema.parse(search);
