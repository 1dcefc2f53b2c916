/** The way from a comparison to the profiles of one side, from a build to its profiles, and from selected artifacts. */
import { Button, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Artifact } from '../api';
import { hasStacks, ofBuildQuery } from '../features/evidence/artifacts';
import { comparisonQuery } from '../features/verdicts/comparisons';
import { ErrorState, HiddenInSnapshot, countOf } from '../ui';
import { useOpenProfiles } from './open-profiles';

/** As many artifacts as a profile set may have. */
const MOST_ARTIFACTS = 200;

export function OpenSides({ team, comparisonId }: { team: string; comparisonId: string }) {
  const { data } = useQuery({ ...comparisonQuery(comparisonId), enabled: false });
  const open = useOpenProfiles(team);
  const sides = (['base', 'candidate'] as const).flatMap((side) => {
    const artifactIds = data?.[side].artifact_ids ?? [];
    return artifactIds.length > 0 ? [{ side, artifactIds, labels: data?.[side].labels ?? [] }] : [];
  });
  // Traces, spans and growth logs have stacks, and so views; benchmarks have none.
  if (sides.length === 0 || !data?.views.length) return null;
  return (
    <HiddenInSnapshot>
      <Menu width={220}>
        <Menu.Target>
          <Button loading={open.isPending}>Open a side</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {sides.map(({ side, artifactIds, labels }) => (
            <Menu.Item
              key={side}
              onClick={() =>
                open.mutate({ artifactIds: artifactIds.slice(0, MOST_ARTIFACTS), labels })
              }
              rightSection={
                <span className="muted">{countOf(artifactIds.length, 'artifact')}</span>
              }
            >
              {side === 'base' ? 'Base' : 'Candidate'}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {open.error && <ErrorState compact error={open.error} />}
    </HiddenInSnapshot>
  );
}

export function OpenBuildProfiles({ team, buildId }: { team: string; buildId: string }) {
  const artifacts = useQuery(ofBuildQuery(buildId));
  const open = useOpenProfiles(team);
  const profiles = (artifacts.data?.items ?? []).filter(
    (artifact) => artifact.state === 'decoded' && hasStacks(artifact),
  );
  if (profiles.length === 0) return null;
  return (
    <HiddenInSnapshot>
      <p>
        <button
          type="button"
          className="link"
          disabled={open.isPending}
          onClick={() =>
            open.mutate({ artifactIds: profiles.slice(0, MOST_ARTIFACTS).map(({ id }) => id) })
          }
        >
          Open {countOf(profiles.length, 'profile')} of this build
        </button>
      </p>
      {open.error && <ErrorState compact error={open.error} />}
    </HiddenInSnapshot>
  );
}

/** Opens selected artifacts as one set; without the ones that have no stacks. */
export function OpenArtifacts({ team, artifacts }: { team: string; artifacts: Artifact[] }) {
  const open = useOpenProfiles(team);
  const shown = artifacts.filter(hasStacks);
  const without = artifacts.length - shown.length;
  const disabled = shown.length === 0 || shown.length > MOST_ARTIFACTS;
  const reason =
    shown.length === 0
      ? 'None of them has stacks.'
      : `At most ${MOST_ARTIFACTS} artifacts are opened together.`;
  const leftOut =
    without > 0 ? `${countOf(without, 'artifact')} without stacks left out.` : undefined;
  return (
    <>
      <Button
        disabled={disabled}
        title={disabled ? reason : leftOut}
        loading={open.isPending}
        onClick={() => open.mutate({ artifactIds: shown.map(({ id }) => id) })}
      >
        Open
      </Button>
      {open.error && <ErrorState compact error={open.error} />}
    </>
  );
}
