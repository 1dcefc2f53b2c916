/**
 * The source of a side that is one value of a label of profiles. Two values of one profile can be
 * compared.
 */
import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SidePreview, SideSource } from '../../../api';
import { countOf } from '../../../ui';
import { useArtifactMatches } from './ArtifactSource';
import type { Match } from './MatchRow';
import { SearchList } from './SearchList';
import type { SourceProps } from './SearchedSource';
import classes from './compare.module.css';
import { sideLabelsQuery } from './label-queries';
import { LISTED } from './preview-queries';
import { sourceText } from './preview-wording';
import { labelText, labelsOf, withLabels, type LabelMatcher } from './side-choice';

type LabelSourceProps = SourceProps & { preview: SidePreview | null | undefined };

export function LabelSource({ choice, onChoice, preview }: LabelSourceProps) {
  const { source } = choice;
  if (!source) return <ProfileSearch choice={choice} onChoice={onChoice} />;
  return (
    <>
      <p className={classes.samplesOf}>
        <span className="muted">Samples of</span> {sourceText(source, preview)}{' '}
        <button
          type="button"
          className="link"
          onClick={() => onChoice({ ...choice, source: null, find: '' }, false)}
        >
          Choose other profiles
        </button>
      </p>
      <LabelValues
        choice={choice}
        source={source}
        artifactIds={preview?.artifact_ids ?? []}
        onChoice={onChoice}
      />
    </>
  );
}

function ProfileSearch({ choice, onChoice }: SourceProps) {
  const results = useArtifactMatches(choice.find, [], true);
  return (
    <SearchList
      label="Profile whose labels are compared"
      placeholder="part of a name"
      find={choice.find}
      onFind={(find) => onChoice({ ...choice, find }, true)}
      results={results}
      onPick={(id) =>
        onChoice({ ...choice, find: '', source: { type: 'artifacts', artifact_ids: [id] } }, false)
      }
      none="No profile matches. Drop profiles on the page to upload them."
    />
  );
}

type ValuesProps = SourceProps & { source: SideSource; artifactIds: string[] };

/**
 * The fields for key and value of one label. A value that no sample has can be typed as "key=value"
 * with any other source.
 */
function LabelValues({ choice, source, artifactIds, onChoice }: ValuesProps) {
  const labels = useQuery(sideLabelsQuery(artifactIds));
  const chosen = labelsOf(source)[0];
  const [picked, setPicked] = useState<string | null>(null);
  const keys = labels.data ?? [];
  const key = picked ?? chosen?.key ?? keys[0]?.key ?? '';
  const values = keys.find((each) => each.key === key)?.values ?? [];
  const text = choice.find.trim().toLowerCase();
  const found = values.filter(({ value }) => value.toLowerCase().includes(text));
  const set = (label: LabelMatcher) =>
    onChoice({ ...choice, source: withLabels(source, [label]) }, false);
  return (
    <>
      <Select
        className={classes.service}
        label="Label"
        placeholder={labels.isLoading ? 'Reading labels' : 'none'}
        allowDeselect={false}
        data={keys.map((each) => each.key)}
        value={key || null}
        onChange={setPicked}
      />
      <SearchList
        label="Value"
        placeholder="part of a value"
        find={choice.find}
        onFind={(find) => onChoice({ ...choice, find }, true)}
        results={{
          items: found.slice(0, LISTED).map((value) => matchOf(key, value, chosen)),
          hasMore: found.length > LISTED,
          isOld: false,
          isPending: labels.isLoading,
          error: labels.error,
        }}
        onPick={(value) => set({ key, value })}
        none={
          keys.length === 0 ? 'The samples of these profiles have no labels.' : 'No value matches.'
        }
      />
      {chosen && <p className="muted">{`Samples with ${labelText(chosen)}.`}</p>}
    </>
  );
}

const matchOf = (
  key: string,
  { value, share, profiles }: { value: string; share: number; profiles: number },
  chosen: LabelMatcher | undefined,
): Match => ({
  key: value,
  title: value,
  detail: `in ${countOf(profiles, 'profile')}`,
  evidence: `${Math.round(share * 1000) / 10}%`,
  isChosen: chosen?.key === key && chosen.value === value,
  disabled: null,
});
