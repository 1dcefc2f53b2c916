/** The artifacts of a set, and the conditions under which they were recorded. */
import type { ReactNode } from 'react';
import type { ProfileSet, ProfileSetArtifact } from '../../../api';
import {
  DataTable,
  DetailsList,
  Section,
  Timestamp,
  countText,
  durationText,
  type Column,
} from '../../../ui';
import { shortCommit } from '../../../lib/commits';
import type { ProfileLinks } from './profile-context';
import classes from './profiles.module.css';

/** Orders artifacts by the time of recording; those without a time are last, by name. */
function inOrderOfTime(one: ProfileSetArtifact, other: ProfileSetArtifact): number {
  const time = ({ recorded_at: at }: ProfileSetArtifact) => (at ? Date.parse(at) : Infinity);
  const [a, b] = [time(one), time(other)];
  return a === b ? one.name.localeCompare(other.name, 'en', { numeric: true }) : a - b;
}

const dash = <span className="muted">–</span>;

export function SetArtifacts({ set, links }: { set: ProfileSet; links: ProfileLinks }) {
  const artifacts = [...set.artifacts].sort(inOrderOfTime);
  const columns: Column<ProfileSetArtifact>[] = [
    {
      id: 'name',
      head: 'Artifact',
      mono: true,
      cell: ({ id, name }) => links.artifact(id, name),
    },
    {
      id: 'kind',
      head: 'Kind',
      width: 150,
      cell: ({ kind }) => kind?.replace('profile.', '') ?? dash,
    },
    { id: 'state', head: 'State', width: 110, cell: ({ state }) => state },
    {
      id: 'samples',
      head: 'Samples',
      width: 100,
      align: 'right',
      cell: ({ samples }) => (samples === null ? dash : countText(samples)),
    },
    {
      id: 'duration',
      head: 'Duration',
      width: 100,
      align: 'right',
      cell: ({ duration_ns: duration }) => (duration ? durationText(duration) : dash),
    },
    {
      id: 'recorded',
      head: 'Recorded',
      width: 160,
      align: 'right',
      cell: ({ recorded_at: at }) => (at ? <Timestamp at={at} exact /> : dash),
    },
  ];
  return (
    <div className={classes.inset}>
      <DataTable
        label="Profiles in this set"
        columns={columns}
        rowCount={artifacts.length}
        rowAt={(index) => artifacts[index]!}
        rowKey={({ id }) => id}
        minWidth={820}
      />
    </div>
  );
}

export function SetConditions({ set, links }: { set: ProfileSet; links: ProfileLinks }) {
  const { conditions } = set;
  const builds = [...new Set(set.artifacts.flatMap(({ build_id }) => build_id ?? []))];
  const commits = conditions?.commits.map(shortCommit) ?? [];
  const differs = <span className="muted">unknown, or not the same in all profiles</span>;
  const mono = (text: string | null | undefined): ReactNode =>
    text ? <span className="mono">{text}</span> : differs;
  return (
    <Section title="Run" aside="conditions that all profiles have in common" narrow>
      <DetailsList
        facts={[
          ['builds', builds.length === 0 ? 'none' : <BuildLinks builds={builds} links={links} />],
          ['commits', commits.length === 0 ? 'unknown' : commits.join(', ')],
          ['Go version', mono(conditions?.go_version)],
          ['GOOS', mono(conditions?.goos)],
          ['GOARCH', mono(conditions?.goarch)],
          ['GOMAXPROCS', conditions?.gomaxprocs ?? differs],
          ['CPU', mono(conditions?.cpu_model)],
          ['runs', countText(conditions?.runs ?? 0)],
          [
            'requests served',
            conditions?.requests == null ? 'unknown' : countText(conditions.requests),
          ],
        ]}
      />
    </Section>
  );
}

function BuildLinks({ builds, links }: { builds: string[]; links: ProfileLinks }) {
  return builds.map((id, at) => (
    <span key={id}>
      {at > 0 && ', '}
      {links.build(id, id.slice(0, 8))}
    </span>
  ));
}
