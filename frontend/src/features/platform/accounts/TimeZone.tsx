/** The time zone in which all pages show times to the user. */
import { Select } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { browserTimeZone, fullTimeText, setTimeZone } from '../../../lib/times';
import { ErrorState, Section, useReferenceTime } from '../../../ui';
import { sessionQuery, updateTimeZone } from './account-queries';

const OF_BROWSER = '';

export function TimeZone() {
  const client = useQueryClient();
  const session = useQuery({ ...sessionQuery, staleTime: Infinity });
  const now = useReferenceTime();
  const save = useMutation({
    mutationFn: updateTimeZone,
    onSuccess: (user) => {
      client.setQueryData(sessionQuery.queryKey, (known) => known && { ...known, user });
      setTimeZone(user.time_zone);
    },
  });
  const zones = useMemo(
    () => [
      { value: OF_BROWSER, label: `Of this browser (${browserTimeZone()})` },
      ...['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map(
        (zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }),
      ),
    ],
    [],
  );
  return (
    <Section title="Time zone" aside="of all times on all pages" narrow>
      {save.error && <ErrorState compact error={save.error} />}
      <Select
        aria-label="Time zone"
        mb={12}
        description={`Now: ${fullTimeText(now)}`}
        searchable
        allowDeselect={false}
        limit={100}
        data={zones}
        value={session.data?.user.time_zone ?? OF_BROWSER}
        disabled={save.isPending}
        onChange={(zone) => save.mutate(zone === OF_BROWSER ? null : zone)}
      />
    </Section>
  );
}
