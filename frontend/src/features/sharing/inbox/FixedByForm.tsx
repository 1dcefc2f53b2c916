/**
 * A form to state what fixed some items: a commit, a build or a deployment. Slowpath proves it with
 * later data.
 */
import { SegmentedControl, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { InboxItem } from '../../../api';
import { ErrorState, FormBody, onText } from '../../../ui';
import type { ActionFormProps } from './action-form-props';
import { fixChoicesQuery, type FixKind } from './inbox-queries';

const SHA = /^[0-9a-f]{7,40}$/iu;

/**
 * Returns the id of the service that all items are of, or null. Only then can builds and
 * deployments be listed.
 */
function commonService(targets: readonly InboxItem[]): string | null {
  const ids = new Set(targets.map(({ service }) => service?.id ?? null));
  return ids.size === 1 ? (targets[0]?.service?.id ?? null) : null;
}

export function FixedByForm({ targets, onAct, isPending, error, onCancel }: ActionFormProps) {
  const service = commonService(targets);
  const [kind, setKind] = useState<FixKind>('commit');
  const [value, setValue] = useState('');
  const change = (next: string) => {
    setKind(next as FixKind);
    setValue('');
  };
  const isComplete = kind === 'commit' ? SHA.test(value.trim()) : value !== '';
  const save = () =>
    onAct({
      type: 'fixed-by',
      commit: kind === 'commit' ? value.trim().toLowerCase() : null,
      build_id: kind === 'build' ? value : null,
      deployment_id: kind === 'deployment' ? value : null,
    });
  return (
    <FormBody
      what="Could not save the change"
      submit="Mark as fixed"
      save={{ mutate: save, isPending, error }}
      blocked={isComplete ? undefined : MISSING[kind]}
      onCancel={onCancel}
    >
      {service !== null && (
        <SegmentedControl
          aria-label="Fixed by"
          value={kind}
          onChange={change}
          data={['commit', 'build', 'deployment']}
        />
      )}
      {kind === 'commit' || service === null ? (
        <TextInput
          label="Commit"
          description="The item is closed when a build with this commit is measured at the old level."
          placeholder="a84f3c1"
          required
          maxLength={40}
          data-autofocus
          value={value}
          onChange={onText(setValue)}
        />
      ) : (
        <FixSelect serviceId={service} kind={kind} value={value} onChange={setValue} />
      )}
    </FormBody>
  );
}

const MISSING: Record<FixKind, string> = {
  commit: 'Enter 7 to 40 hexadecimal digits.',
  build: 'Choose a build.',
  deployment: 'Choose a deployment.',
};

type FixSelectProps = {
  serviceId: string;
  kind: 'build' | 'deployment';
  value: string;
  onChange: (value: string) => void;
};

function FixSelect({ serviceId, kind, value, onChange }: FixSelectProps) {
  const choices = useQuery(fixChoicesQuery(serviceId, kind));
  return (
    <>
      <Select
        label={kind === 'build' ? 'Build' : 'Deployment'}
        placeholder={choices.isPending ? 'Loading' : 'Choose'}
        required
        searchable
        data={choices.data ?? []}
        value={value || null}
        onChange={(next) => onChange(next ?? '')}
        nothingFoundMessage="None found."
      />
      {choices.error && <ErrorState compact error={choices.error} />}
    </>
  );
}
