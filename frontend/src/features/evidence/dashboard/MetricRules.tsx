/** Custom rules that classify metrics whose names do not show their role. */
import { Button, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MetricRule, MetricRuleWords } from '../../../api';
import { ErrorState, ListTable, Section, type Column, onText } from '../../../ui';
import classes from './dashboard.module.css';
import { labelsOf, labelsText } from './metric-label-text';
import { createRule, deleteRule, rulesQuery } from './metrics-queries';

type RulesProps = { metric: string; onMetric: (name: string) => void; mayWrite: boolean };

const ROLES = [
  { value: 'requests', label: 'requests' },
  { value: 'latency', label: 'latency' },
  { value: 'gauge', label: 'a gauge' },
  { value: 'ignore', label: 'ignored' },
];
const UNITS = [
  { value: '1', label: 'seconds' },
  { value: '0.001', label: 'milliseconds' },
  { value: '0.000001', label: 'microseconds' },
  { value: '1e-9', label: 'nanoseconds' },
];

export function MetricRules({ metric, onMetric, mayWrite }: RulesProps) {
  const client = useQueryClient();
  const rules = useQuery(rulesQuery);
  const again = () => client.invalidateQueries({ queryKey: ['metrics'] });
  const remove = useMutation({ mutationFn: deleteRule, onSettled: again });
  const columns: Column<MetricRule>[] = [
    {
      id: 'metric',
      head: 'Metric',
      mono: true,
      text: (rule) => rule.metric,
      cell: (rule) => rule.metric,
    },
    {
      id: 'equal',
      head: 'Label matchers',
      mono: true,
      text: matchersText,
      cell: matchersText,
    },
    { id: 'role', head: 'Role', width: 90, text: roleText, cell: roleText },
    { id: 'service', head: 'Service', text: serviceText, cell: serviceText },
    {
      id: 'delete',
      head: '',
      label: 'delete',
      width: 70,
      align: 'right',
      cell: (rule) =>
        mayWrite && (
          <button
            type="button"
            className="link"
            aria-label={`Delete the rule for ${rule.metric}`}
            onClick={() => remove.mutate(rule.id)}
          >
            Delete
          </button>
        ),
    },
  ];
  return (
    <Section title="Custom rules" aside="if several match, the newest applies">
      <ListTable
        label="Custom rules"
        records={rules}
        columns={columns}
        rowKey={({ id }) => id}
        size={{ minWidth: 700, skeletonRows: 2 }}
        changeError={remove.error}
        empty={{
          text: 'A rule assigns a role to a metric that Slowpath cannot classify by name.',
        }}
      />
      {mayWrite && <RuleForm metric={metric} onMetric={onMetric} onSaved={again} />}
    </Section>
  );
}

const matchersText = ({ label_matchers: equal }: MetricRule): string => labelsText(equal) || 'any';

const roleText = ({ role }: MetricRule): string => (role === 'ignore' ? 'ignored' : role);

const serviceText = ({ service, service_label }: MetricRule): string =>
  service ?? (service_label === null ? 'From labels' : `label ${service_label}`);

type FormProps = Omit<RulesProps, 'mayWrite'> & { onSaved: () => Promise<unknown> };

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

function RuleForm({ metric, onMetric, onSaved }: FormProps) {
  const [role, setRole] = useState('latency');
  const [where, setWhere] = useState('');
  const [service, setService] = useState('');
  const [label, setLabel] = useState('');
  const [scale, setScale] = useState('1');
  const [title, setTitle] = useState('');
  const equal = labelsOf(where);
  const save = useMutation({
    mutationFn: (words: MetricRuleWords) => createRule(words),
    onSuccess: async () => {
      onMetric('');
      setWhere('');
      await onSaved();
    },
  });
  const field = (name: string, value: string, set: (text: string) => void, more: object = {}) => (
    <TextInput label={name} value={value} w={170} onChange={onText(set)} {...more} />
  );
  return (
    <form
      className={classes.ruleForm}
      onSubmit={(event) => {
        event.preventDefault();
        if (!equal) return;
        save.mutate({
          metric,
          role: role as MetricRuleWords['role'],
          label_matchers: equal,
          service: orNull(service),
          service_label: orNull(label),
          seconds_per_unit: role === 'latency' ? Number(scale) : 1,
          title: role === 'gauge' ? orNull(title) : null,
        });
      }}
    >
      {field('Metric', metric, onMetric, {
        id: 'metric-rule',
        required: true,
        placeholder: 'queue_wait_ms',
        classNames: { input: 'mono' },
        w: 220,
      })}
      <Select
        label="Role"
        data={ROLES}
        value={role}
        allowDeselect={false}
        w={110}
        onChange={(next) => setRole(next ?? 'latency')}
      />
      {role === 'latency' && (
        <Select
          label="Unit"
          data={UNITS}
          value={scale}
          allowDeselect={false}
          w={120}
          onChange={(next) => setScale(next ?? '1')}
        />
      )}
      {role === 'gauge' && field('Name', title, setTitle, { placeholder: 'queue depth' })}
      {field('Label matchers', where, setWhere, {
        placeholder: 'stage="write"',
        classNames: { input: 'mono' },
        error: equal ? undefined : 'name="value", name="value"',
      })}
      {field('Service', service, setService, { placeholder: 'From labels' })}
      {field('or from this label', label, setLabel, { placeholder: 'component' })}
      <Button type="submit" loading={save.isPending} disabled={metric.trim() === '' || !equal}>
        Add rule
      </Button>
      {save.error && <ErrorState compact what="Could not save the rule" error={save.error} />}
    </form>
  );
}
