/** Opens the profiles of one side of a comparison, of a build, or of selected artifacts. */
import { Button, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Artifact } from '../api';
import { hasStacks, ofBuildQuery } from '../features/evidence/artifacts';
import { comparisonQuery } from '../features/verdicts/comparisons';
import { ErrorState, HiddenInSnapshot, countOf } from '../ui';
import { useOpenProfiles } from './open-profiles';

/** The maximum number of artifacts of a profile set. */
const MOST_ARTIFACTS = 200;

/** Returns a menu item for each side with stacks, and the error if opening one failed. */
export function useOpenSides(team: string, comparisonId: string) {
  const { data } = useQuery({ ...comparisonQuery(comparisonId), enabled: false });
  const open = useOpenProfiles(team);
  // Traces, spans and growth logs have stacks, and so views; benchmarks have none.
  const sides = data?.views.length ? (['base', 'candidate'] as const) : [];
  return {
    items: sides.flatMap((side) => {
      const { artifact_ids, labels } = data![side];
      if (!artifact_ids?.length) return [];
      const artifactIds = artifact_ids.slice(0, MOST_ARTIFACTS);
      return [
        <Menu.Item
          key={side}
          onClick={() => open.mutate({ artifactIds, labels })}
          rightSection={<span className="muted">{countOf(artifact_ids.length, 'artifact')}</span>}
        >
          Open {side}
        </Menu.Item>,
      ];
    }),
    problem: open.error && <ErrorState compact error={open.error} />,
  };
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

/** Opens the selected artifacts that have stacks as one profile set. */
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
