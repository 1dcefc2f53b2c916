/** The series of a service over the builds of a branch, by kind, largest first; each can be muted. */
import { Select } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { BuildSeries } from '../../api';
import { ErrorState, Section, SkeletonRows } from '../../ui';
import { SeriesPanel } from './SeriesPanel';
import { serviceSeriesQuery, watchSeries } from './queries';
import { KINDS, NEVER_JUDGED, kindText, type SeriesKind } from './wording';

export type ServiceSeriesProps = {
  serviceId: string;
  link: (build_id: string, words: ReactNode) => ReactNode;
  onOpenBuild: (build_id: string) => void;
  mayWrite: boolean;
};

const NO_LATENCY =
  'Latency will be drawn here once builds have been deployed, each for a quarter of an hour or longer, while a histogram of the service’s latency came in.';

export default function ServiceSeries({
  serviceId,
  link,
  onOpenBuild,
  mayWrite,
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
          onChange={(next) => {
            setBranch(next ?? undefined);
          }}
        />
      )}
    </>
  );
  return (
    <Section title="Over builds" aside="largest first" controls={controls}>
      {series.error && <ErrorState error={series.error} />}
      {series.isPending && <SkeletonRows rows={4} height={40} />}
      {series.data && (
        <SeriesPanel
          page={series.data}
          link={link}
          onOpen={onOpenBuild}
          empty={kind === 'latency' ? NO_LATENCY : undefined}
          aside={(one) => <Told serviceId={serviceId} series={one} mayWrite={mayWrite} />}
        />
      )}
    </Section>
  );
}

type ToldProps = { serviceId: string; series: BuildSeries; mayWrite: boolean };

/** Whether anybody is told of a series, and the way to change that. */
function Told({ serviceId, series, mayWrite }: ToldProps) {
  const client = useQueryClient();
  const { kind, subject, muted } = series;
  const keep = useMutation({
    mutationFn: () => watchSeries(serviceId, kind, subject, !muted),
    onSettled: () => client.invalidateQueries({ queryKey: ['regression', 'service-series'] }),
  });
  const word = muted ? 'Tell of it again' : 'Mute';
  return (
    <>
      {muted && <span className="muted">muted: nobody is told of it</span>}
      {mayWrite && !NEVER_JUDGED.has(kind) && (
        <button
          type="button"
          className="link"
          aria-label={`${word}: ${subject || kindText(kind)}`}
          disabled={keep.isPending}
          onClick={() => {
            keep.mutate();
          }}
        >
          {word}
        </button>
      )}
      {keep.error && <ErrorState compact what="Nothing was changed" error={keep.error} />}
    </>
  );
}
