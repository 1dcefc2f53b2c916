/** The source of a side that is a service in an environment between two times. */
import { Button, Select, TextInput } from '@mantine/core';
import { fieldText, fieldTime, fieldZone } from '../../../lib/wall-times';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SideSource } from '../../../api';
import { onText } from '../../../ui';
import { environmentsQuery } from '../../inventory/catalog';
import { ServiceField } from './ServiceField';
import type { SourceProps } from './SearchedSource';
import classes from './compare.module.css';
import { labelsOf, type LabelMatcher } from './side-choice';

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

type Draft = { service: string; environment: string; begin: string; end: string };

/** Common time ranges, as milliseconds before now. */
const PRESETS = [
  { name: 'Last 24 hours', fromMs: 24 * HOUR_MS, toMs: 0 },
  { name: 'This week', fromMs: WEEK_MS, toMs: 0 },
  { name: 'Last week', fromMs: 2 * WEEK_MS, toMs: WEEK_MS },
] as const;

const isoOf = (text: string): string | null => {
  const ms = fieldTime(text);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
};

function sourceOf(draft: Draft, labels: LabelMatcher[]): SideSource | null {
  const [begin, end] = [isoOf(draft.begin), isoOf(draft.end)];
  if (draft.service === '' || draft.environment === '' || !begin || !end || begin >= end)
    return null;
  const { service, environment } = draft;
  return {
    type: 'time_range',
    service_id: service,
    environment_id: environment,
    begin,
    end,
    labels,
  };
}

function draftOf({ source, service }: SourceProps['choice']): Draft {
  if (source?.type !== 'time_range') return { service, environment: '', begin: '', end: '' };
  return {
    service: source.service_id,
    environment: source.environment_id,
    begin: fieldText(source.begin),
    end: fieldText(source.end),
  };
}

export function TimeRangeSource({ choice, onChoice }: SourceProps) {
  const environments = useQuery(environmentsQuery);
  const [draft, setDraft] = useState(() => draftOf(choice));
  const known = environments.data?.items ?? [];
  const environment = draft.environment || (known[0]?.id ?? '');
  const change = (changed: Partial<Draft>) => {
    const next = { ...draft, environment, ...changed };
    setDraft(next);
    const source = sourceOf(next, labelsOf(choice.source));
    onChoice({ ...choice, service: next.service, source }, source === null);
  };
  const isReversed = draft.begin !== '' && draft.end !== '' && draft.begin >= draft.end;
  return (
    <>
      <ServiceField required value={draft.service} onChange={(service) => change({ service })} />
      <Select
        label="Environment"
        placeholder={environments.data && known.length === 0 ? 'none yet' : 'Choose'}
        allowDeselect={false}
        data={known.map(({ id, name }) => ({ value: id, label: name }))}
        value={environment || null}
        onChange={(next) => change({ environment: next ?? '' })}
      />
      <div className={classes.presets} role="group" aria-label="Usual time ranges">
        {PRESETS.map(({ name, fromMs, toMs }) => (
          <Button
            key={name}
            onClick={() => {
              const now = Math.floor(Date.now() / 60_000) * 60_000;
              change({ begin: fieldText(now - fromMs), end: fieldText(now - toMs) });
            }}
          >
            {name}
          </Button>
        ))}
      </div>
      <div className={classes.times}>
        <TextInput
          type="datetime-local"
          label={`Begin, ${fieldZone(draft.begin)}`}
          value={draft.begin}
          onChange={onText((begin) => change({ begin }))}
        />
        <TextInput
          type="datetime-local"
          label={`End, ${fieldZone(draft.end)}`}
          value={draft.end}
          error={isReversed && 'Must be later than the begin'}
          onChange={onText((end) => change({ end }))}
        />
      </div>
      {draft.service === '' && <p className="muted">Choose a service.</p>}
    </>
  );
}
