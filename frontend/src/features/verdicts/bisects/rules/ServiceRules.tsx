/** A section with rules of a service: a form for admins, a sentence for others. */
import { Button, Checkbox, NumberInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient, type UseQueryOptions } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ErrorState, Section, SkeletonRows } from '../../../../ui';
import { LabelsField } from '../shared/LabelsField';
import type { Labels } from '../shared/runner-labels';
import classes from '../shared/bisects.module.css';

type AnyRules = { enabled: boolean; runner_labels?: Labels };
export type Change<Rules> = (part: Partial<Rules>) => void;

export type RulesKind<Rules extends AnyRules> = {
  /** What the rules allow. */
  label: string;
  description: string;
  text: (rules: Rules) => string;
  save: (serviceId: string, rules: Rules) => Promise<unknown>;
  /** Returns why the rules cannot be saved, or undefined. */
  validate?: (rules: Rules) => string | undefined;
  fields: (rules: Rules, change: Change<Rules>) => ReactNode;
};
type Props<Rules extends AnyRules> = {
  serviceId: string;
  mayManage: boolean;
  kind: RulesKind<Rules>;
  query: UseQueryOptions<Rules, Error, Rules, string[]>;
  title: string;
  aside: string;
  children?: ReactNode;
};

export function ServiceRules<Rules extends AnyRules>(props: Props<Rules>) {
  const { serviceId, mayManage, kind, query, title, aside, children } = props;
  const rules = useQuery(query);
  const client = useQueryClient();
  return (
    <Section title={title} aside={aside}>
      {rules.error && <ErrorState what="Could not load the rules" error={rules.error} />}
      {rules.isPending && <SkeletonRows rows={2} />}
      {rules.data &&
        (mayManage ? (
          <RulesForm
            key={JSON.stringify(rules.data)}
            stored={rules.data}
            kind={kind}
            save={(changed) => kind.save(serviceId, changed)}
            onSaved={() => client.invalidateQueries({ queryKey: query.queryKey })}
          />
        ) : (
          <p>{kind.text(rules.data)}</p>
        ))}
      {children}
    </Section>
  );
}

type FormProps<Rules extends AnyRules> = {
  stored: Rules;
  kind: RulesKind<Rules>;
  save: (rules: Rules) => Promise<unknown>;
  onSaved: () => Promise<void>;
};

function RulesForm<Rules extends AnyRules>({ stored, kind, save, onSaved }: FormProps<Rules>) {
  const [rules, setRules] = useState(stored);
  const change = (part: Partial<Rules>) => setRules({ ...rules, ...part });
  const saving = useMutation({ mutationFn: () => save(rules), onSuccess: onSaved });
  const invalid = kind.validate?.(rules);
  return (
    <div className={classes.choices}>
      <Checkbox
        label={kind.label}
        description={kind.description}
        checked={rules.enabled}
        onChange={(event) => setRules({ ...rules, enabled: event.currentTarget.checked })}
      />
      {rules.enabled && (
        <>
          {kind.fields(rules, change)}
          <LabelsField
            value={rules.runner_labels ?? {}}
            onChange={(runner_labels) => setRules({ ...rules, runner_labels })}
          />
        </>
      )}
      {saving.error && <ErrorState compact what="Could not save the rules" error={saving.error} />}
      <div>
        <Button
          disabled={rules === stored || invalid !== undefined}
          title={invalid}
          loading={saving.isPending}
          onClick={() => saving.mutate()}
        >
          Save
        </Button>
      </div>
    </div>
  );
}

type AmountProps = {
  label: string;
  value: number | undefined;
  max: number;
  onChange: (value: number) => void;
};

export function Amount({ label, value, max, onChange }: AmountProps) {
  return (
    <NumberInput
      label={label}
      min={1}
      max={max}
      allowDecimal={false}
      w={240}
      value={value}
      onChange={(given) => {
        if (given !== '') onChange(Number(given));
      }}
    />
  );
}
