/** The field of one end of the range: a name, the commits that match it, and the chosen commit. */
import { Combobox, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { RangeEndOut } from '../../../../api';
import { SideMark, Timestamp } from '../../../../ui';
import { shortCommit } from '../../../../lib/commits';
import { rangeEndsQuery } from '../shared/bisect-queries';
import type { ChosenEnd } from './start-request';
import classes from './start.module.css';

const PAUSE_MS = 120;
const TYPES: Record<RangeEndOut['type'], string> = {
  'last-good': 'build',
  deployment: 'deployment',
  tag: 'tag',
  branch: 'branch',
  build: 'build',
  date: 'date',
  commit: 'commit',
};

type Props = {
  side: 'good' | 'bad';
  /** The label, if it is not Good or Bad. */
  label?: string;
  value: ChosenEnd | null;
  repositoryId: string | null;
  serviceId: string | null;
  onChoose: (end: ChosenEnd) => void;
};

export function EndField({ side, value, repositoryId, serviceId, onChoose, ...props }: Props) {
  const { label = side === 'good' ? 'Good' : 'Bad' } = props;
  const [typed, setTyped] = useState<string | null>(null);
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const text = typed ?? value?.name ?? '';
  const [searched] = useDebouncedValue(typed ?? '', PAUSE_MS);
  const found = useQuery({
    ...rangeEndsQuery(repositoryId ?? '', serviceId, searched.trim()),
    enabled: repositoryId !== null && combobox.dropdownOpened,
  });
  const ends = found.data ?? [];
  const choose = (end: RangeEndOut | undefined) => {
    if (!end) return;
    onChoose(end);
    setTyped(null);
    combobox.closeDropdown();
  };
  const none = typed !== null && typed.trim() !== '' && found.data?.length === 0;
  return (
    <div className={classes.end}>
      <Combobox
        store={combobox}
        withinPortal={false}
        keepMounted={false}
        onOptionSubmit={(key) => choose(ends[+key])}
      >
        <Combobox.Target>
          <TextInput
            label={
              <>
                <SideMark side={side === 'good' ? 'base' : 'candidate'} /> {label}
              </>
            }
            aria-label={label}
            placeholder="tag, branch, date, deployment, build, commit"
            classNames={{ input: 'mono' }}
            maxLength={200}
            autoComplete="off"
            disabled={repositoryId === null}
            value={text}
            error={none && !found.isFetching ? `No commit is named ${typed.trim()}.` : undefined}
            onFocus={() => combobox.openDropdown()}
            onBlur={() => {
              combobox.closeDropdown();
              // A complete name does not need a click in the list.
              const exact = ends.find((one) => one.is_exact && one.name === typed?.trim());
              if (exact) choose(exact);
              else if (!none) setTyped(null);
            }}
            onChange={(event) => {
              setTyped(event.currentTarget.value);
              combobox.openDropdown();
              combobox.selectFirstOption();
            }}
          />
        </Combobox.Target>
        <Combobox.Dropdown hidden={ends.length === 0}>
          <Combobox.Options className={classes.ends}>
            {ends.map((end, index) => (
              <Combobox.Option key={`${end.type} ${end.name} ${end.sha}`} value={String(index)}>
                <span className="mono">{end.name}</span>
                <span className="muted">
                  {TYPES[end.type]} {shortCommit(end.sha)} {end.title || end.detail}
                </span>
                <span className="muted">{end.is_measured ? 'measured' : 'not measured'}</span>
              </Combobox.Option>
            ))}
          </Combobox.Options>
        </Combobox.Dropdown>
      </Combobox>
      <EndCommit end={value} />
    </div>
  );
}

function EndCommit({ end }: { end: ChosenEnd | null }) {
  if (!end) return <p className={classes.commit}>Not chosen yet.</p>;
  return (
    <p className={classes.commit}>
      <span className="mono">{shortCommit(end.sha)}</span> {end.title}
      {end.at && (
        <>
          {', '}
          <Timestamp at={end.at} />
        </>
      )}
    </p>
  );
}
