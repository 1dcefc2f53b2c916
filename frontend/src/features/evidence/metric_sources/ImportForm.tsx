/** A form for the interval of a source's history to import. */
import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { fieldTime, fieldZone } from '../../../lib/wall-times';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorState, onText } from '../../../ui';
import type { MetricSource } from '../../../api';
import { importHistory } from './metric-source-queries';
import classes from './sources.module.css';
import { RANGES, rangeOf, type RangeId } from './metric-source-wording';

type ImportProps = { source: MetricSource; onDone: () => void };

export function ImportForm({ source, onDone }: ImportProps) {
  const client = useQueryClient();
  const [range, setRange] = useState<RangeId>('24h');
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const begin = useMutation({
    mutationFn: () =>
      importHistory(
        source.id,
        range === 'own'
          ? {
              from: new Date(fieldTime(from)).toISOString(),
              to: new Date(fieldTime(to)).toISOString(),
            }
          : rangeOf(range, new Date().getTime()),
      ),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['job'] });
      // A short import may end before the first poll.
      await client.invalidateQueries({ queryKey: ['metric_source'] });
      onDone();
    },
  });
  const early = to !== '' && to <= from;
  const whole = range !== 'own' || (from !== '' && to !== '' && !early);
  const time = (label: string, value: string, set: (text: string) => void, error?: string) => (
    <TextInput
      label={label}
      type="datetime-local"
      required
      value={value}
      error={error}
      onChange={onText(set)}
    />
  );
  return (
    <form
      className={classes.import}
      aria-label={`Import from ${source.name}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (whole) begin.mutate();
      }}
    >
      <SegmentedControl
        aria-label="Interval"
        data={[...RANGES, { value: 'own', label: 'from – to' }].map(({ value, label }) => ({
          value,
          label,
        }))}
        value={range}
        onChange={(next) => setRange(next as RangeId)}
      />
      {range === 'own' && (
        <>
          {time(`From, ${fieldZone(from)}`, from, setFrom)}
          {time(`To, ${fieldZone(to)}`, to, setTo, early ? 'Must be later' : undefined)}
        </>
      )}
      <Button type="submit" loading={begin.isPending} disabled={!whole}>
        Start import
      </Button>
      <Button onClick={onDone}>Close</Button>
      <span className="muted">Existing samples are skipped.</span>
      {begin.error && <ErrorState compact what="Could not start the import" error={begin.error} />}
    </form>
  );
}
