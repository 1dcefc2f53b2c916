/**
 * Compares the profiles of the builds before and after a deployment, and the latency 30 minutes
 * before and after it. Opens an existing comparison or creates one.
 */
import { calls, type Artifact, type Deploy } from '../../../api';
import { shortCommit } from '../../../lib/commits';

export type SideChoice = {
  service_id: string;
  commit: string;
  build_id: string | null;
  artifacts: string[];
};
export type DeploymentComparison =
  | { state: 'open'; comparison_id: string }
  /** A side has no artifacts; `base` is null without an earlier deployment of another build. */
  | {
      state: 'missing';
      base: SideChoice | null;
      candidate: SideChoice;
      windows: ComparedRanges | null;
    };

/** The most artifacts of a side; more would not change the verdict. */
const FILES_MOST = 100;

/** Returns the deployment of another build that ran before. */
export function previousDeployment(deploys: readonly Deploy[], deploy: Deploy): Deploy | null {
  const earlier = deploys
    .filter(({ id, started_at }) => id !== deploy.id && started_at < deploy.started_at)
    .toSorted((a, b) => b.started_at.localeCompare(a.started_at));
  return (
    earlier.find(({ build_id, commit }) =>
      deploy.build_id === null ? commit !== deploy.commit : build_id !== deploy.build_id,
    ) ?? null
  );
}

async function sideOf(deploy: Deploy): Promise<SideChoice> {
  const { service_id, build_id, commit } = deploy;
  if (build_id === null) return { service_id, commit, build_id, artifacts: [] };
  const found = await calls.artifactsList({
    query: { build_id, state: ['decoded'], limit: FILES_MOST },
  });
  return { service_id, commit, build_id, artifacts: found.items.map(({ id }: Artifact) => id) };
}

type ComparedRange = {
  service_id: string;
  environment_id: string;
  from: string;
  to: string;
};
type ComparedRanges = { base: ComparedRange; candidate: ComparedRange };

const MINUTE_MS = 60_000;
const WINDOW_MS = 30 * MINUTE_MS;
/** The range after a deployment is rounded down to this, so that comparisons are reused. */
const STEP_MS = 5 * MINUTE_MS;

/**
 * Returns 30 minutes before and after a deployment, or less if a build ran for less; null if that
 * is too little. The minute in which the deployment started is in neither range.
 */
export function rangesAround(
  deploy: Deploy,
  before: Deploy,
  deploys: readonly Deploy[],
  nowMs: number,
): ComparedRanges | null {
  const began = Date.parse(deploy.started_at);
  const next = deploys.map(({ started_at }) => Date.parse(started_at)).filter((at) => at > began);
  const ended = deploy.ended_at === null ? Infinity : Date.parse(deploy.ended_at);
  const ran = Math.min(nowMs, ended, ...next) - began;
  const after = Math.min(Math.floor(ran / STEP_MS) * STEP_MS, WINDOW_MS);
  const start = Math.max(began - WINDOW_MS, Date.parse(before.started_at));
  if (after < STEP_MS || began - start < STEP_MS) return null;
  const { service_id, environment_id } = deploy;
  const between = (fromMs: number, toMs: number): ComparedRange => ({
    service_id,
    environment_id,
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
  });
  return { base: between(start, began), candidate: between(began + MINUTE_MS, began + after) };
}

/** Compares times as numbers, because their texts can differ. */
const sameWindow = (range: ComparedRange | null, wanted: ComparedRange | undefined): boolean =>
  range === null || wanted === undefined
    ? range === null && wanted === undefined
    : range.service_id === wanted.service_id &&
      range.environment_id === wanted.environment_id &&
      Date.parse(range.from) === Date.parse(wanted.from) &&
      Date.parse(range.to) === Date.parse(wanted.to);

const sameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((id) => b.includes(id));

/** Finds an existing comparison. The list has no artifact IDs, so those of the name are loaded. */
async function existing(
  name: string,
  base: string[],
  candidate: string[],
  windows: ComparedRanges | null,
) {
  const { items } = await calls.comparisonsList({ query: { search: name, limit: 20 } });
  const alike = items.filter(
    (each) =>
      each.state !== 'failed' &&
      each.state !== 'cancelled' &&
      each.base.artifacts === base.length &&
      each.candidate.artifacts === candidate.length &&
      sameWindow(each.base.time_range, windows?.base) &&
      sameWindow(each.candidate.time_range, windows?.candidate),
  );
  for (const { id } of alike.slice(0, 5)) {
    const whole = await calls.comparisonsGet({ path: { comparison_id: id } });
    if (
      sameSet(whole.base.artifact_ids ?? [], base) &&
      sameSet(whole.candidate.artifact_ids ?? [], candidate)
    )
      return id;
  }
  return null;
}

export async function compareAroundDeployment(deploy_id: string): Promise<DeploymentComparison> {
  const deploy = await calls.deploymentsGet({ path: { deployment_id: deploy_id } });
  const { service_id, environment_id } = deploy;
  const all = await calls.deploymentsList({ query: { service_id, environment_id, limit: 200 } });
  const before = previousDeployment(all.items, deploy);
  const windows = before && rangesAround(deploy, before, all.items, Date.now());
  const [base, candidate] = await Promise.all([before && sideOf(before), sideOf(deploy)]);
  if (!base || base.artifacts.length === 0 || candidate.artifacts.length === 0)
    return { state: 'missing', base, candidate, windows };
  const [was, is] = [shortCommit(base.commit), shortCommit(candidate.commit)];
  const name = `${was} vs. ${is}`;
  const known = await existing(name, base.artifacts, candidate.artifacts, windows);
  if (known !== null) return { state: 'open', comparison_id: known };
  const made = await calls.comparisonsCreate({
    body: {
      name,
      base: { artifact_ids: base.artifacts, label: was || null, time_range: windows?.base ?? null },
      candidate: {
        artifact_ids: candidate.artifacts,
        label: is || null,
        time_range: windows?.candidate ?? null,
      },
    },
  });
  return { state: 'open', comparison_id: made.id };
}

/**
 * Compares only the latency around a deployment whose builds have no profiles: opens an existing
 * comparison or creates one.
 */
export async function compareLatency({
  base,
  candidate,
  windows,
}: Extract<DeploymentComparison, { state: 'missing' }>): Promise<DeploymentComparison> {
  if (!base || !windows) throw new Error('no latency ranges around the deployment');
  const [was, is] = [shortCommit(base.commit), shortCommit(candidate.commit)];
  const name = `Latency, ${was || 'before'} vs. ${is || 'after'}`;
  const known = await existing(name, [], [], windows);
  if (known !== null) return { state: 'open', comparison_id: known };
  const made = await calls.comparisonsCreate({
    body: {
      name,
      base: { artifact_ids: [], label: was || null, time_range: windows.base },
      candidate: { artifact_ids: [], label: is || null, time_range: windows.candidate },
    },
  });
  return { state: 'open', comparison_id: made.id };
}
