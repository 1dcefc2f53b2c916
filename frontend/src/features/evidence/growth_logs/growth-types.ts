/** Page data of stack-growth logs, `slowpath.growth-comparison/1`, and the sets of a team: read once, checked once. */
import * as z from 'zod/mini';

export const FORMAT = 'slowpath.growth-comparison/1';

const orNull = <T extends z.ZodMiniType>(type: T) =>
  z.pipe(
    z.optional(z.nullable(type)),
    z.transform((value) => value ?? null),
  );
const listOf = <T extends z.ZodMiniType>(type: T) =>
  z.pipe(
    z.optional(z.nullable(z.array(type))),
    z.transform((value) => value ?? []),
  );
const number = orNull(z.number());
const text = orNull(z.string());

const set = z.object({
  side: text,
  label: text,
  artifacts: number,
  sampled: number,
  estimate: number,
  total: number,
  rates: listOf(z.number()),
  duration_ns: number,
  per_second: number,
  per_request: number,
  low: number,
  high: number,
  payer: text,
  path: listOf(z.string()),
  share: number,
  ratio: number,
  ratio_low: number,
  ratio_high: number,
});
const counts = z.object({
  sampled: number,
  estimate: number,
  per_second: number,
  per_request: number,
});
const STATES = ['noise', 'more', 'less', 'only-candidate', 'only-base'] as const;
const row = z.object({
  payer: z.string(),
  path: listOf(z.string()),
  old_bytes: number,
  new_bytes: number,
  base: orNull(counts),
  candidate: orNull(counts),
  ratio: number,
  low: number,
  high: number,
  q_value: number,
  state: z.catch(z.enum(STATES), 'noise'),
});
const document = z.object({ format: z.literal(FORMAT), sets: listOf(set), rows: listOf(row) });

export type GrowthDocument = z.infer<typeof document>;
export type GrowthSet = z.infer<typeof set>;
export type GrowthRow = z.infer<typeof row>;

/** Sets as the API tells them outside of a comparison: no sides. */
export function readGrowthSets(told: unknown): GrowthSet[] {
  return readGrowth({ format: FORMAT, sets: told, rows: [] }).sets;
}

/** @throws Error in words of a page. */
export function readGrowth(told: unknown): GrowthDocument {
  const read = document.safeParse(told);
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  throw new Error(
    `This page cannot read the growth-log response: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
  );
}
