/** The toolbar of a profile: sample type, normalization, granularity, label filter and search. */
import { SegmentedControl, Select, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { Granularity, LabelKey, ProfileSet, ProfileView } from '../../../api';
import type { NamePattern } from '../../../engine/flame/flame-view';
import { sampleTypeLabel } from '../../../engine/format/profile-labels';
import { Toolbar, onText } from '../../../ui';
import { LabelFilters } from './LabelFilters';
import type { ProfilePageView } from './profile-url';
import classes from './profiles.module.css';

/** With more sample types than this, the toolbar shows a list to select from. */
const MOST_SEGMENTS = 3;
const PAUSE_MS = 250;

const GRANULARITIES: { value: Granularity; label: string }[] = [
  { value: 'package', label: 'package' },
  { value: 'function', label: 'function' },
  { value: 'line', label: 'line' },
];

const NORMALIZATIONS: { id: string; name: string; missing: string }[] = [
  { id: 'share', name: 'share', missing: 'No total for shares' },
  { id: 'mean', name: 'mean', missing: '' },
  { id: 'per_second', name: 'second', missing: 'Some profiles do not record their duration' },
  {
    id: 'per_request',
    name: 'request',
    missing: 'Needs the requests served during every profile: enter them under Run metadata',
  },
];

/** Values at one moment (bytes in use, goroutines) have a mean over snapshots, and no rate. */
const normalizationsFor = (offered: readonly string[]) =>
  NORMALIZATIONS.filter(({ id }) =>
    offered.includes('mean') ? id === 'share' || id === 'mean' : id !== 'mean',
  );

type ToolbarProps = {
  kinds: ProfileSet['kinds'];
  /** The computed view; null while it is computed. */
  computed: Pick<ProfileView, 'normalizations' | 'default_normalization'> | null;
  labelKeys: readonly LabelKey[];
  measured: { kind: string; sampleType: string };
  view: ProfilePageView;
  change: (changed: Partial<ProfilePageView>) => void;
};

export function ProfileToolbar(props: ToolbarProps) {
  const { kinds, computed, labelKeys, measured, view, change } = props;
  const { flame } = view;
  const offered = computed?.normalizations ?? [];
  return (
    <Toolbar label="Profile">
      <SampleTypes
        kinds={kinds}
        measured={measured}
        onChoose={(kind, sampleType) =>
          change({ kind, sampleType, flame: { ...flame, basis: '', zoom: '', span: null } })
        }
      />
      {computed && (
        <>
          <span className={classes.label}>normalize by</span>
          <SegmentedControl
            aria-label="Normalize by"
            value={
              offered.includes(flame.basis) ? flame.basis : (computed.default_normalization ?? '')
            }
            onChange={(basis) => change({ flame: { ...flame, basis } })}
            data={normalizationsFor(offered).map(({ id, name, missing }) => ({
              value: id,
              disabled: !offered.includes(id),
              label: <span title={offered.includes(id) ? undefined : missing}>{name}</span>,
            }))}
          />
        </>
      )}
      {view.tab !== 'lines' && (
        <SegmentedControl
          aria-label="Granularity"
          value={flame.granularity}
          // Each granularity has another tree: the zoom and the selection of one do not exist in
          // another.
          onChange={(granularity) =>
            change({ selected: '', flame: { ...flame, granularity, zoom: '', span: null } })
          }
          data={GRANULARITIES}
        />
      )}
      <LabelFilters
        labels={view.labels}
        keys={labelKeys}
        onLabels={(labels) => change({ labels, flame: { ...flame, zoom: '', span: null } })}
      />
      <span className="grow" />
      <SearchField
        search={flame.search}
        onSearch={(search) => change({ flame: { ...flame, search } })}
      />
    </Toolbar>
  );
}

type TypesProps = {
  kinds: ProfileSet['kinds'];
  measured: { kind: string; sampleType: string };
  onChoose: (kind: string, sampleType: string) => void;
};

function SampleTypes({ kinds, measured, onChoose }: TypesProps) {
  const choices = kinds.flatMap(({ kind, sample_types }) =>
    sample_types.map(({ type }) => ({
      value: JSON.stringify([kind, type]),
      label: sampleTypeLabel(kind, type),
    })),
  );
  const choose = (value: string | null) => {
    const [kind = '', type = ''] = value === null ? [] : (JSON.parse(value) as string[]);
    if (kind !== '') onChoose(kind, type);
  };
  const value = JSON.stringify([measured.kind, measured.sampleType]);
  return (
    <>
      <span className={classes.label}>sample type</span>
      {choices.length <= MOST_SEGMENTS ? (
        <SegmentedControl aria-label="Sample type" value={value} onChange={choose} data={choices} />
      ) : (
        <Select
          aria-label="Sample type"
          data={choices}
          value={value}
          onChange={choose}
          allowDeselect={false}
          w={190}
        />
      )}
    </>
  );
}

type SearchProps = { search: NamePattern; onSearch: (search: NamePattern) => void };

/** A search field that searches after a pause. A link that changes the search changes its text. */
function SearchField({ search, onSearch }: SearchProps) {
  const [text, setText] = useState(search.pattern);
  const [from, setFrom] = useState(search.pattern);
  if (from !== search.pattern) {
    setFrom(search.pattern);
    setText(search.pattern);
  }
  const latest = useRef({ search, onSearch });
  useEffect(() => {
    latest.current = { search, onSearch };
  });
  useEffect(() => {
    const { search: newest, onSearch: notify } = latest.current;
    if (text === newest.pattern) return undefined;
    const timer = setTimeout(() => notify({ ...newest, pattern: text }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <TextInput
      className={classes.search}
      aria-label="Search functions"
      placeholder="Search functions"
      classNames={{ input: 'mono' }}
      value={text}
      onChange={onText(setText)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setText('');
        event.stopPropagation();
      }}
    />
  );
}
