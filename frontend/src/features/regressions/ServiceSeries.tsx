/** The series of a service over the builds of a branch, by kind, largest first; each can be muted. */
import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ErrorState, Section, SkeletonRows } from '../../ui';
import { SeriesPanel } from './SeriesPanel';
import { serviceSeriesQuery } from './queries';
import { KINDS, type SeriesKind } from './wording';

export type ServiceSeriesProps = {
  serviceId: string;
  link: (build_id: string, words: ReactNode) => ReactNode;
  onOpenBuild: (build_id: string) => void;
};

const NO_LATENCY =
  'Latency will be drawn here once builds have been deployed, each for a quarter of an hour or longer, while a histogram of the service’s latency came in.';

export default function ServiceSeries({ serviceId, link, onOpenBuild }: ServiceSeriesProps) {
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
          aside={({ muted }) => muted && <span className="muted">muted</span>}
        />
      )}
    </Section>
  );
}
