/**
 * A link with all choices of a start page, including those that the proposal made when it was
 * copied.
 */
import * as z from 'zod/mini';
import type { BisectProposalOut } from '../../../../api';
import { DAYS, DEFAULT_SETTINGS } from '../shared/bisect-settings';
import { chosenSignature, endOf, signatureKey, type StartChoice } from './start-request';

/** The name must not change: links that earlier versions copied have it. */
const HASH = '#draft=';
const MOST_CHARACTERS = 16_000;

const words = z.string().check(z.maxLength(2100));
const number = z.optional(z.number());
const id = z.nullable(z.uuid());
const end = z.nullable(
  z.object({
    name: words,
    sha: z.string().check(z.regex(/^[0-9a-f]{40}$/)),
    title: words,
    at: z.nullable(z.iso.datetime({ offset: true })),
  }),
);
/** The settings of the form; the server validates their ranges. */
const settings = z.object({
  stop_probability: number,
  slots: number,
  max_deployments: z.optional(z.nullable(z.number())),
  control: z.optional(z.boolean()),
  max_measurements_per_probe: number,
  measurement_seconds: number,
  warm_up_seconds: number,
  deployment_seconds: number,
  needs_approval: z.optional(z.boolean()),
  deployment_hours: z.optional(
    z.nullable(
      z.object({ days: z.array(z.enum(DAYS)), from: words, to: words, zone: z.optional(words) }),
    ),
  ),
  guardrail: z.optional(
    z.nullable(
      z.object({
        error_rate: z.optional(z.nullable(z.number())),
        p99_ns: z.optional(z.nullable(z.number())),
        environment_id: z.optional(id),
      }),
    ),
  ),
  runner_labels: z.optional(z.record(words, words)),
  dashboard_selector: z.optional(
    z.nullable(
      z.object({
        environment_id: z.uuid(),
        match: z.optional(z.enum(['instance', 'version', 'environment'])),
      }),
    ),
  ),
  use_production_baselines: z.optional(z.boolean()),
  main_package: z.optional(z.nullable(words)),
  directory: z.optional(words),
});
const choices = z.object({
  serviceId: id,
  repositoryId: id,
  good: end,
  bad: end,
  signature: z.nullable(words),
  settings,
});

/**
 * Returns the URL of the page with all choices in its fragment, which is not sent to the server.
 */
export function choicesUrl(address: string, offer: BisectProposalOut, choice: StartChoice): string {
  const signature = chosenSignature(offer, choice);
  const whole: StartChoice = {
    ...choice,
    repositoryId: choice.repositoryId ?? offer.repository?.id ?? null,
    good: endOf(offer, choice, 'good'),
    bad: endOf(offer, choice, 'bad'),
    signature: signature ? signatureKey(signature) : null,
  };
  return `${address.split('#')[0]}${HASH}${encodeURIComponent(JSON.stringify(whole))}`;
}

/** Parses the choices in a fragment; null if there are none or they are invalid. */
export function readChoices(fragment: string): StartChoice | null {
  if (!fragment.startsWith(HASH) || fragment.length > MOST_CHARACTERS) return null;
  try {
    const read = choices.safeParse(JSON.parse(decodeURIComponent(fragment.slice(HASH.length))));
    if (!read.success) return null;
    return { ...read.data, settings: { ...DEFAULT_SETTINGS, ...read.data.settings } };
  } catch {
    return null;
  }
}
