/** The form of a budget: all fields for a new one, only the limit for an existing one. */
import { NumberInput, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Budget, BudgetWords } from '../../../api';
import { FormBody, onText } from '../../../ui';
import { createBudget, environmentNamesQuery, updateBudget } from './budget-queries';
import { SIGNALS } from './budget-wording';

type FormProps = { serviceId: string; budget: Budget | null; onClose: () => void };
type LimitType = Budget['limit']['type'];
type Fields = {
  signal: Budget['signal'];
  type: LimitType;
  /** Milliseconds, or percent. */
  amount: number | string;
  environment: string;
  route: string;
};

const EACH = '';
const TYPES = [
  { value: 'absolute', label: 'At most a value' },
  { value: 'per-release', label: 'At most an increase per release' },
];
const MS_PER_S = 1000;
const DIGITS = 12;

const fieldsOf = (budget: Budget | null): Fields => ({
  signal: budget?.signal ?? 'p99',
  type: budget?.limit.type ?? 'absolute',
  amount: budget ? amountOf(budget.limit) : '',
  environment: budget?.environment_id ?? EACH,
  route: budget?.route ?? '',
});

/** Removes the digits that binary fractions add. */
const rounded = (value: number): number => Number(value.toPrecision(DIGITS));

const amountOf = (limit: Budget['limit']): number =>
  rounded(limit.type === 'absolute' ? limit.seconds * MS_PER_S : limit.increase * 100);

const limitOf = (type: LimitType, amount: number): Budget['limit'] =>
  type === 'absolute'
    ? { type, seconds: rounded(amount / MS_PER_S) }
    : { type, increase: rounded(amount / 100) };

function wordsOf(service_id: string, fields: Fields): BudgetWords {
  const { signal, type, amount, environment, route } = fields;
  const isLatency = signal !== 'cpu';
  return {
    service_id,
    signal,
    limit: limitOf(type, Number(amount)),
    environment_id: isLatency && environment !== EACH ? environment : null,
    route: route.trim() || null,
  };
}

export function BudgetForm({ serviceId, budget, onClose }: FormProps) {
  const client = useQueryClient();
  const [fields, setFields] = useState(() => fieldsOf(budget));
  const change = (changed: Partial<Fields>) => setFields((now) => ({ ...now, ...changed }));
  const save = useMutation({
    mutationFn: () =>
      budget
        ? updateBudget(budget.id, limitOf(fields.type, Number(fields.amount)))
        : createBudget(wordsOf(serviceId, fields)),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['budget'] });
      onClose();
    },
  });
  const isFilled = Number(fields.amount) > 0;
  return (
    <FormBody
      what={budget ? 'Could not change the limit' : 'Could not set the budget'}
      submit={budget ? 'Change limit' : 'Set budget'}
      save={save}
      blocked={isFilled ? undefined : 'Fill in a limit above zero'}
      onCancel={onClose}
    >
      {!budget && (
        <Select
          label="What to limit"
          data={SIGNALS}
          value={fields.signal}
          allowDeselect={false}
          onChange={(next) => change({ signal: next ?? 'p99' })}
        />
      )}
      {!budget && (
        <Select
          label="Kind of limit"
          data={TYPES}
          value={fields.type}
          allowDeselect={false}
          onChange={(next) => change({ type: (next ?? 'absolute') as LimitType })}
        />
      )}
      <NumberInput
        label="Limit"
        description={limitHelp(fields)}
        data-autofocus
        required
        min={0}
        max={fields.type === 'absolute' ? 86_400_000 : 1000}
        decimalScale={6}
        suffix={fields.type === 'absolute' ? ' ms' : '%'}
        value={fields.amount}
        onChange={(amount) => change({ amount })}
      />
      {!budget && <PlaceFields fields={fields} onChange={change} />}
    </FormBody>
  );
}

function limitHelp({ signal, type }: Fields): string {
  if (type === 'per-release')
    return signal === 'cpu'
      ? 'Compared with the build before.'
      : 'Compared with the deployment before.';
  return signal === 'cpu'
    ? 'Measured by the CPU profiles of each build.'
    : 'Measured over the last 60 minutes. Best decided if it is the bound of a histogram bucket.';
}

type PlaceProps = { fields: Fields; onChange: (changed: Partial<Fields>) => void };

/** The fields that select the requests to limit. */
function PlaceFields({ fields, onChange }: PlaceProps) {
  const isLatency = fields.signal !== 'cpu';
  const environments = useQuery(environmentNamesQuery);
  const named = environments.data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? [];
  return (
    <>
      {isLatency && (
        <Select
          label="Environment"
          data={[{ value: EACH, label: 'Each environment' }, ...named]}
          value={fields.environment}
          allowDeselect={false}
          onChange={(next) => onChange({ environment: next ?? EACH })}
        />
      )}
      <TextInput
        label="Route"
        description={`The value of a label such as route or handler${isLatency ? '' : ' of the profiles'}. Leave it empty for all requests.`}
        placeholder="/api/push"
        maxLength={300}
        value={fields.route}
        classNames={{ input: 'mono' }}
        onChange={onText((route) => onChange({ route }))}
      />
    </>
  );
}
