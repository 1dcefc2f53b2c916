/** `go test -bench` output of two sides, compared as benchstat does: read once, checked once. */
import * as z from 'zod/mini';

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
const warning = z.pipe(
  z.unknown(),
  z.transform((told) => (typeof told === 'string' ? told : JSON.stringify(told))),
);

const summary = z.object({
  n: z.number(),
  center: number,
  low: number,
  high: number,
  values: listOf(z.number()),
});
const row = z.object({
  name: z.string(),
  unit: z.string(),
  config: orNull(z.record(z.string(), z.string())),
  base: orNull(summary),
  candidate: orNull(summary),
  ratio: number,
  p: number,
  alpha: number,
  significant: z.catch(z.boolean(), false),
  better: z.catch(z.enum(['less', 'more']), 'less'),
  warnings: listOf(warning),
  state: orNull(z.string()),
});
const document = z.object({
  rows: listOf(row),
  geomeans: listOf(z.object({ unit: z.string(), ratio: number })),
  warnings: listOf(warning),
});

export type BenchmarkDocument = z.infer<typeof document>;
export type BenchmarkRow = z.infer<typeof row>;
export type BenchmarkSummary = z.infer<typeof summary>;

/** @throws Error in words of a page. */
export function readBenchmarks(told: unknown): BenchmarkDocument {
  const read = document.safeParse(told);
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  throw new Error(
    `This page cannot read the benchmarks response: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
  );
}
