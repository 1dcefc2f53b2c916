/** Links from a group to goroutine profiles of the same builds, which show its stacks. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useCliCommand, type CliCommand } from '../../platform/cli';
import { CopyField, ErrorState, countOf } from '../../../ui';
import { goroutineProfilesQuery, type GoroutineProfiles as Found } from './trace-queries';
import classes from './traces.module.css';
import type { SideName, TraceDocument } from './trace-types';

export type ProfileSides = Record<SideName, { artifact_ids: string[]; label: string }>;

/** The actions of a page with goroutine profiles; another feature provides them. */
export type GoroutineWays = {
  /** Compares the profiles of both sides at the group; null if the user may not compare. */
  compare: ((sides: ProfileSides, group: string) => void) | null;
  opening: boolean;
  error: unknown;
  /** Returns a link to the page of an artifact. */
  file: (artifactId: string, words: string) => ReactNode;
};

/** The most artifacts that are listed by name. */
const MAX_NAMED = 3;

type Props = { data: TraceDocument; group: string; ways: GoroutineWays };

export function GoroutineProfiles({ data, group, ways }: Props) {
  const { base, candidate } = data.sides;
  const ofBase = useQuery(goroutineProfilesQuery(base.traces.map(({ artifact }) => artifact)));
  const ofCandidate = useQuery({
    ...goroutineProfilesQuery((candidate?.traces ?? []).map(({ artifact }) => artifact)),
    enabled: candidate !== null,
  });
  const error = ofBase.error ?? ofCandidate.error;
  if (error) {
    return (
      <ErrorState
        compact
        what="Could not check for goroutine profiles of these builds"
        error={error}
      />
    );
  }
  if (!ofBase.data || (candidate && !ofCandidate.data)) return null;
  const found: [SideName, Found][] = [['base', ofBase.data]];
  if (ofCandidate.data) found.push(['candidate', ofCandidate.data]);
  if (found.some(([, { profiles }]) => profiles.length === 0) || !ofCandidate.data || !candidate) {
    return <Apart found={found} ways={ways} />;
  }
  const { compare } = ways;
  const sideOf = (label: string | null, { profiles }: Found) => ({
    artifact_ids: profiles.map(({ id }) => id),
    label: label ?? '',
  });
  const sides = {
    base: sideOf(base.label, ofBase.data),
    candidate: sideOf(candidate.label, ofCandidate.data),
  };
  const counts = `${sides.base.artifact_ids.length} of base, ${sides.candidate.artifact_ids.length} of candidate`;
  if (!compare) return <Apart found={found} ways={ways} />;
  return (
    <>
      <p className={classes.links}>
        <button
          type="button"
          className="link"
          disabled={ways.opening}
          onClick={() => compare(sides, group)}
        >
          Goroutine profiles of the same builds
        </button>
        <span className="muted">{ways.opening ? 'opening their comparison' : counts}</span>
      </p>
      {ways.error !== null && (
        <ErrorState compact what="Could not compare the profiles" error={ways.error} />
      )}
    </>
  );
}

/** The existing profiles if a side has none or is missing, and how to record the others. */
function Apart({ found, ways }: { found: [SideName, Found][]; ways: GoroutineWays }) {
  const cli = useCliCommand();
  const single = found.length === 1;
  const without = found.filter(([, { profiles }]) => profiles.length === 0);
  const unknown = without.filter(([, { builds }]) => builds.length === 0);
  return (
    <div className={classes.profiles}>
      {found
        .filter(([, { profiles }]) => profiles.length > 0)
        .map(([side, { profiles }]) => (
          <p key={side}>
            Goroutine profiles of {single ? 'the same build' : `${side}’s build`}:{' '}
            {profiles.slice(0, MAX_NAMED).map(({ id, name }, at) => (
              <span key={id}>
                {at > 0 && ', '}
                <span className="mono">{ways.file(id, name)}</span>
              </span>
            ))}
            {profiles.length > MAX_NAMED && ` and ${profiles.length - MAX_NAMED} more`}
          </p>
        ))}
      {without.length > 0 && (
        <details className={classes.details}>
          <summary>
            {missing(
              without.map(([side]) => side),
              found.length,
            )}
            : how to record some
          </summary>
          {unknown.map(([side, { traces }]) => (
            <p key={side}>
              The {countOf(traces, 'trace')} {single ? '' : `of ${side} `}belong
              {traces === 1 ? 's' : ''} to no build. Set the build on the artifact page, for the
              traces and for the profiles.
            </p>
          ))}
          <p>
            While the {without.length === found.length && !single ? 'builds run' : 'build runs'} and{' '}
            <span className="mono">net/http/pprof</span> is served, a snapshot takes a moment:
          </p>
          {without
            .flatMap(([side, { builds }]) =>
              (builds.length > 0 ? builds : ['ID']).map((build) => [side, build] as const),
            )
            .map(([side, build]) => (
              <CopyField
                key={`${side} ${build}`}
                label={single ? 'Command' : `Command for ${side}`}
                value={collectCommand(cli, build)}
              />
            ))}
        </details>
      )}
    </div>
  );
}

function missing(sides: SideName[], of: number): string {
  if (of === 1) return 'No goroutine profile of this build';
  return sides.length === of
    ? 'No goroutine profile of either build'
    : `No goroutine profile of ${sides[0] ?? ''}’s build`;
}

function collectCommand({ fetched, word }: CliCommand, build: string): string {
  const server = window.location.origin;
  const collect = `${word} collect http://localhost:6060 --profiles 0 --snapshots goroutine --server ${server} --token $TOKEN --build ${build}`;
  return [...fetched, collect].join(' && ');
}
