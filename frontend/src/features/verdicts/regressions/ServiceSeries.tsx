/** The series of a service over the builds of a branch, by kind, largest first; each can be muted. */
import { Select } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { BuildSeries } from '../../../api';
import type { SeriesLimit } from '../../../charts';
import { ErrorState, Section, SkeletonRows } from '../../../ui';
import { SeriesPanel } from './SeriesPanel';
import type { ComparePair } from './PickedBuilds';
import { serviceSeriesQuery, watchSeries } from './regression-queries';
import { KINDS, NOT_EVALUATED, seriesName, type SeriesKind } from './regression-wording';

export type ServiceSeriesProps = {
  serviceId: string;
  link: (build_id: string, words: ReactNode) => ReactNode;
  compareLink: ComparePair;
  mayWrite: boolean;
  /** The limits that users set for a series, in its unit. */
  limits?: (series: BuildSeries) => SeriesLimit[];
};

const NO_LATENCY =
  'No latency series yet: deploy builds for at least 15 minutes each while the service sends a latency histogram.';

export default function ServiceSeries({
  serviceId,
  link,
  compareLink,
  mayWrite,
  limits,
}: ServiceSeriesProps) {
  const [kind, setKind] = useState<SeriesKind>('profile.category');
  const [branch, setBranch] = useState<string | undefined>(undefined);
  const series = useQuery(serviceSeriesQuery(serviceId, branch, kind));
  const controls = (
    <>
      <Select
        aria-label="Kind of series"
        data={KINDS}
        allowDeselect={false}
        value={kind}
        onChange={(next) => {
          if (next) setKind(next);
        }}
      />
      {series.data && series.data.branches.length > 1 && (
        <Select
          aria-label="Branch"
          data={series.data.branches.map((name) => ({ value: name, label: name || 'no branch' }))}
          allowDeselect={false}
          value={series.data.branch}
          onChange={(next) => setBranch(next ?? undefined)}
        />
      )}
    </>
  );
  return (
    <Section title="History by build" aside="largest first" controls={controls}>
      {series.error && <ErrorState error={series.error} />}
      {series.isPending && <SkeletonRows rows={4} height={40} />}
      {series.data && (
        <SeriesPanel
          page={series.data}
          link={link}
          compareLink={compareLink}
          limits={limits}
          empty={kind === 'latency' ? NO_LATENCY : undefined}
          aside={(one) => <MutedState serviceId={serviceId} series={one} mayWrite={mayWrite} />}
        />
      )}
    </Section>
  );
}

type DetectionProps = { serviceId: string; series: BuildSeries; mayWrite: boolean };

/** Whether a series is muted, and the button to change that. */
function MutedState({ serviceId, series, mayWrite }: DetectionProps) {
  const client = useQueryClient();
  const { kind, subject, is_muted } = series;
  const save = useMutation({
    mutationFn: () => watchSeries(serviceId, kind, subject, !is_muted),
    onSettled: () => client.invalidateQueries({ queryKey: ['regression', 'service-series'] }),
  });
  const word = is_muted ? 'Unmute' : 'Mute';
  return (
    <>
      {is_muted && <span className="muted">Muted</span>}
      {mayWrite && !NOT_EVALUATED.has(kind) && (
        <button
          type="button"
          className="link"
          aria-label={`${word}: ${seriesName(series)}`}
          disabled={save.isPending}
          onClick={() => save.mutate()}
        >
          {word}
        </button>
      )}
      {save.error && <ErrorState compact what="Could not save the changes" error={save.error} />}
    </>
  );
}
