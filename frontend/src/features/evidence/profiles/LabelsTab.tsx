/** All labels of the samples with their values, to filter by one or compare two. */
import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import type { LabelKey, LabelMatcher } from '../../../api';
import { visibleName } from '../../../engine/flame/frame-label';
import { formatShare } from '../../../engine/format/format';
import {
  DataTable,
  EmptyState,
  HiddenInSnapshot,
  Section,
  countOf,
  countText,
  type Column,
} from '../../../ui';
import type { OpenedSet } from './profile-context';
import classes from './profiles.module.css';

type TabProps = { opened: OpenedSet; labelKeys: readonly LabelKey[] };

export function LabelsTab({ opened, labelKeys }: TabProps) {
  if (labelKeys.length === 0)
    return (
      <div className={classes.inset}>
        <EmptyState>
          The samples have no labels. Set them in Go with <code>pprof.Do</code>, for example one for
          the endpoint and one for the tenant.
        </EmptyState>
      </div>
    );
  return labelKeys.map((labelKey) => (
    <LabelSection key={labelKey.key} opened={opened} labelKey={labelKey} />
  ));
}

type ValueRow = { value: string | null; share: number; profiles: number | null };

type SectionProps = { opened: OpenedSet; labelKey: LabelKey };

function LabelSection({ opened, labelKey }: SectionProps) {
  const { set, view, change, links } = opened;
  const { key, values, without_share: without, other_values: others } = labelKey;
  const [picked, setPicked] = useState<(string | null)[]>([]);
  const rows: ValueRow[] = [
    ...values.map(({ value, share, profiles }) => ({ value, share, profiles })),
    ...(without > 0 ? [{ value: null, share: without, profiles: null }] : []),
  ];
  const rest = view.labels.filter((label) => label.key !== key);
  const side = (value: string | null) => ({
    artifactIds: set.artifacts.map(({ id }) => id),
    labels: [...rest, { key, value } satisfies LabelMatcher],
  });
  const [base, candidate] = picked;
  const toggle = (value: string | null) =>
    setPicked((before) =>
      before.includes(value)
        ? before.filter((each) => each !== value)
        : [...before.slice(-1), value],
    );
  return (
    <Section
      title={<span className="mono">{key}</span>}
      aside={[
        countOf(values.length + others, 'value'),
        others > 0 ? `${countText(others)} smaller ones not listed` : '',
      ]
        .filter(Boolean)
        .join(', ')}
      controls={
        <HiddenInSnapshot>
          {base !== undefined && candidate !== undefined ? (
            links.compare(side(base), side(candidate), 'Compare the two selected values', false)
          ) : (
            <span className="muted">Select two values to compare them</span>
          )}
        </HiddenInSnapshot>
      }
      narrow
    >
      <DataTable
        label={`Values of ${key}`}
        columns={columnsOf(key, picked, toggle, (value) =>
          change({ tab: 'profile', labels: side(value).labels }),
        )}
        rowCount={rows.length}
        rowAt={(index) => rows[index]!}
        rowKey={({ value }) => value ?? '\u0000'}
        rowHeight={26}
      />
    </Section>
  );
}

function columnsOf(
  key: string,
  picked: (string | null)[],
  toggle: (value: string | null) => void,
  filter: (value: string | null) => void,
): Column<ValueRow>[] {
  const words = (value: string | null) => (value === null ? 'no value' : visibleName(value));
  return [
    {
      id: 'value',
      head: 'Value',
      cell: ({ value }) => (
        <button
          type="button"
          className="link"
          title={`Only samples with ${key} = ${words(value)}`}
          onClick={() => filter(value)}
        >
          <span className={value === null ? undefined : 'mono'}>{words(value)}</span>
        </button>
      ),
    },
    {
      id: 'share',
      head: 'Share',
      align: 'right',
      width: 90,
      cell: ({ share }) => formatShare(share),
    },
    {
      id: 'profiles',
      head: 'Profiles',
      align: 'right',
      width: 90,
      cell: ({ profiles }) => (profiles === null ? '–' : countText(profiles)),
    },
    {
      id: 'compare',
      head: 'Compare',
      width: 90,
      align: 'right',
      cell: ({ value }) => (
        <Checkbox
          size="xs"
          className={classes.pick}
          aria-label={`Compare ${words(value)}`}
          checked={picked.includes(value)}
          onChange={() => toggle(value)}
        />
      ),
    },
  ];
}
