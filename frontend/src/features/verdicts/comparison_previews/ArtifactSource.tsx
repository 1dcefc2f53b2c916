/** The source of a side that consists of one or more artifacts, found by name. */
import { useQuery } from '@tanstack/react-query';
import type { Artifact } from '../../../api';
import { countOf } from '../../../ui';
import { describeArtifact, isCompared } from '../../evidence/artifacts';
import { LabelField } from './LabelField';
import type { Match } from './MatchRow';
import { SearchList, type MatchResults } from './SearchList';
import type { SourceProps } from './SearchedSource';
import classes from './compare.module.css';
import { artifactMatchesQuery } from './preview-queries';
import { momentText } from '../../../lib/times';
import { labelsOf } from './side-choice';

const NONE = 'No artifact matches. Drop files on the page to upload them.';

/** Returns the artifacts that match a name, for the list. */
export function useArtifactMatches(
  find: string,
  chosen: string[],
  profilesOnly: boolean,
): MatchResults {
  const found = useQuery(artifactMatchesQuery(find.trim(), profilesOnly));
  return {
    items: (found.data?.items ?? []).map((each) => matchOf(each, chosen)),
    hasMore: found.data?.has_more ?? false,
    isOld: found.isPlaceholderData,
    isPending: found.isPending,
    error: found.error,
  };
}

export function ArtifactSource({ choice, onChoice }: SourceProps) {
  const { find, source } = choice;
  const chosen = source?.type === 'artifacts' ? source.artifact_ids : [];
  const results = useArtifactMatches(find, chosen, false);
  const onPick = (id: string) => {
    const ids = chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id];
    const next =
      ids.length === 0
        ? null
        : { type: 'artifacts' as const, artifact_ids: ids, labels: labelsOf(source) };
    onChoice({ ...choice, source: next }, false);
  };
  return (
    <>
      <p className={`muted ${classes.chosen}`} aria-live="polite">
        {chosen.length === 0 ? 'None chosen' : `${countOf(chosen.length, 'artifact')} chosen`}
      </p>
      <SearchList
        label="Artifacts"
        placeholder="part of a name"
        find={find}
        onFind={(next) => onChoice({ ...choice, find: next }, true)}
        results={results}
        onPick={onPick}
        multiple
        none={NONE}
      />
      <LabelField
        source={source}
        onSource={(next) => onChoice({ ...choice, source: next }, false)}
      />
    </>
  );
}

const matchOf = (artifact: Artifact, chosen: string[]): Match => ({
  key: artifact.id,
  title: artifact.name,
  detail: describeArtifact(artifact),
  evidence: momentText(artifact.created_at),
  isChosen: chosen.includes(artifact.id),
  disabled:
    artifact.error?.detail ??
    (isCompared(artifact.kind) ? null : 'It has no measurements to compare.'),
});
