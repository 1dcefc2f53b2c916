import { Button, Select } from '@mantine/core';
import { dateText } from '../../lib/times';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo, type MouseEvent, type ReactNode } from 'react';
import type { Artifact, TeamMembership } from '../../api';
import { membersQuery } from '../../features/platform/accounts';
import { buildChoicesQuery } from '../../features/inventory/catalog';
import { ArtifactProfile, ProfileFacts, profileViewOf } from '../../features/evidence/profiles';
import {
  ArtifactDetail,
  ArtifactsTable,
  type ArtifactCells,
  artifactQuery,
  hasStacks,
  isUnderWay,
  updateBuild,
  tray,
  uploadButtonText,
  useTray,
} from '../../features/evidence/artifacts';
import { expiresAt, retentionQuery } from '../../features/operations/retention';
import { ExecutableFunctions } from '../../features/evidence/executables';
import { GrowthFacts } from '../../features/evidence/growth_logs';
import { SpanFacts } from '../../features/evidence/spans';
import { TraceFacts } from '../../features/evidence/exec_traces';
import { PageHeader, Section, useTitle } from '../../ui';
import { CompareLink } from '../CompareLink';
import { Link } from '../Link';
import { OpenArtifacts } from '../OpenSides';
import { profileLinks, useProfileNavigation } from './profile-links';

const route = getRouteApi('/t/$team/artifacts');
const fileRoute = getRouteApi('/t/$team/artifacts/$artifactId');
const teamRoute = getRouteApi('/t/$team');

/** Prevents a click on a link in a row from being a click on the row. */
const stay = (event: MouseEvent) => event.stopPropagation();

/** Links to the page of an artifact, and to the pages of its trace or spans. */
function ArtifactLinks({ artifact, team }: { artifact: Artifact; team: string }) {
  const { id, name, trace, spans } = artifact;
  return (
    <>
      <Link to="/t/$team/artifacts/$artifactId" params={{ team, artifactId: id }} onClick={stay}>
        {name}
      </Link>
      {trace && (
        <>
          {' '}
          <Link
            to="/t/$team/execution-traces/$artifactId"
            params={{ team, artifactId: id }}
            search={{}}
            className="link"
            aria-label={`Scheduler latency in ${name}`}
            onClick={stay}
          >
            scheduler latency
          </Link>
        </>
      )}
      {spans && (
        <>
          {' '}
          <Link
            to="/t/$team/span-sets/$artifactId"
            params={{ team, artifactId: id }}
            search={{}}
            className="link"
            aria-label={`Spans of ${name}`}
            onClick={stay}
          >
            spans
          </Link>
        </>
      )}
    </>
  );
}

/** Returns the cells that need members, builds and retention rules of the team. */
function useArtifactCells(team: { id: string; slug: string }): ArtifactCells {
  const members = useQuery(membersQuery(team.id));
  const builds = useQuery(buildChoicesQuery);
  const retention = useQuery(retentionQuery);
  const expires = retention.data?.rules.some(
    (rule) => rule.is_artifact_kind && rule.retention_days !== null,
  );
  const dash = <span className="muted">–</span>;
  return {
    link: (artifact) => <ArtifactLinks artifact={artifact} team={team.slug} />,
    uploader: (id) => members.data?.items.find(({ user_id }) => user_id === id)?.name ?? dash,
    build: (id) => builds.data?.find(({ value }) => value === id)?.label ?? dash,
    expiry: expires
      ? (artifact) => <ExpiryDate at={expiresAt(retention.data, artifact)} />
      : undefined,
  };
}

export function ArtifactsRoute() {
  useTitle('Artifacts');
  const { team } = teamRoute.useRouteContext();
  const search = route.useSearch();
  const navigate = useNavigate();
  const { items, open } = useTray();
  const cells = useArtifactCells(team);
  const mayWrite = team.role !== 'viewer';
  const upload = mayWrite && (
    <Button variant="filled" aria-expanded={open} onClick={() => tray.setOpen(!open)}>
      {uploadButtonText(items)}
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Artifacts"
        sub={
          <>
            All uploads, manual and from builds. Identical files are stored once.{' '}
            <Link to="/t/$team/stack-growth" params={{ team: team.slug }} className="link">
              Stack growth over builds
            </Link>
          </>
        }
        actions={upload}
      />
      <ArtifactsTable
        search={search}
        onSearch={(next) =>
          void navigate({
            to: '/t/$team/artifacts',
            params: { team: team.slug },
            search: next,
            replace: true,
          })
        }
        onOpen={({ id }) =>
          void navigate({
            to: '/t/$team/artifacts/$artifactId',
            params: { team: team.slug, artifactId: id },
          })
        }
        upload={
          mayWrite && !open && <Button onClick={() => tray.setOpen(true)}>Choose files</Button>
        }
        mayWrite={mayWrite}
        cells={cells}
        compareLink={(base, candidate, words) => (
          <CompareLink
            isPrimary
            base={{ type: 'artifacts', artifact_ids: base }}
            candidate={
              candidate.length === 0 ? null : { type: 'artifacts', artifact_ids: candidate }
            }
            words={words}
          />
        )}
        openTogether={(artifacts) => <OpenArtifacts team={team.slug} artifacts={artifacts} />}
      />
    </>
  );
}

/**
 * The day on which an artifact is deleted, unless an open regression or running comparison needs
 * it.
 */
function ExpiryDate({ at }: { at: Date | null }) {
  if (at === null) return <span className="muted">Unlimited</span>;
  return (
    <time
      dateTime={at.toISOString()}
      title="Deleted after that day unless an open regression or running comparison needs it"
    >
      {dateText(at)}
    </time>
  );
}

export function ArtifactRoute() {
  const { team } = teamRoute.useRouteContext();
  const { artifactId } = fileRoute.useParams();
  const search = fileRoute.useSearch();
  const view = useMemo(() => profileViewOf(search), [search]);
  const onView = useProfileNavigation();
  const links = useMemo(() => profileLinks(team.slug), [team.slug]);
  const artifact = useQuery(artifactQuery(artifactId)).data;
  const isProfile = artifact !== undefined && hasStacks(artifact);
  const back = (
    <Link to="/t/$team/artifacts" params={{ team: team.slug }} search={{}} className="muted">
      Artifacts
    </Link>
  );
  const detail = <Detail artifactId={artifactId} team={team} back={back} isTab={isProfile} />;
  if (!isProfile) return detail;
  return (
    <ArtifactProfile
      key={artifactId}
      artifactId={artifactId}
      isDecoded={!isUnderWay(artifact)}
      name={artifact.name}
      context={{
        view,
        onView,
        links,
        above: back,
        beside: <EvidenceLink artifact={artifact} team={team.slug} />,
        metadata: detail,
      }}
    />
  );
}

type DetailProps = {
  artifactId: string;
  team: TeamMembership;
  back: ReactNode;
  isTab: boolean;
};

function Detail({ artifactId, team, back, isTab }: DetailProps) {
  const navigate = useNavigate();
  const mayWrite = team.role !== 'viewer';
  return (
    <ArtifactDetail
      key={artifactId}
      id={artifactId}
      back={back}
      onGone={() =>
        void navigate({ to: '/t/$team/artifacts', params: { team: team.slug }, search: {} })
      }
      mayWrite={mayWrite}
      build={(artifact) => <BuildOf artifact={artifact} mayWrite={mayWrite} />}
      summary={({ profile }) => profile && <ProfileFacts profile={profile} />}
      evidence={(artifact) => <Evidence artifact={artifact} team={team.slug} />}
      isTab={isTab}
    />
  );
}

/** A link to the page of a trace or of spans, beside the tabs of the artifact's stacks. */
function EvidenceLink({ artifact, team }: { artifact: Artifact; team: string }) {
  const { id, trace, spans } = artifact;
  const params = { team, artifactId: id };
  if (trace)
    return (
      <Link to="/t/$team/execution-traces/$artifactId" params={params} search={{}} className="link">
        Scheduler latency
      </Link>
    );
  return (
    spans && (
      <Link to="/t/$team/span-sets/$artifactId" params={params} search={{}} className="link">
        Where requests spend time
      </Link>
    )
  );
}

/**
 * Links to the pages with more detail than the artifact's page: of its trace, spans or growth logs.
 */
function Evidence({ artifact, team }: { artifact: Artifact; team: string }) {
  const { id, trace, growth, spans, binary } = artifact;
  return (
    <>
      {binary?.functions && <ExecutableFunctions artifactId={id} />}
      {trace && (
        <Section title="Execution trace" narrow>
          <TraceFacts trace={trace} />
          <Link
            to="/t/$team/execution-traces/$artifactId"
            params={{ team, artifactId: id }}
            search={{}}
            className="link"
          >
            Scheduler latency and P occupancy
          </Link>
        </Section>
      )}
      {spans && (
        <Section title="Spans" narrow>
          <SpanFacts spans={spans} />
          <Link
            to="/t/$team/span-sets/$artifactId"
            params={{ team, artifactId: id }}
            search={{}}
            className="link"
          >
            Where requests spend time
          </Link>
        </Section>
      )}
      {growth && (
        <Section title="Stack growth" narrow>
          <GrowthFacts growth={growth} />
          <Link to="/t/$team/stack-growth" params={{ team }} className="link">
            All stack-growth logs
          </Link>
        </Section>
      )}
    </>
  );
}

/** The build of an artifact; users who may write choose it from the known builds. */
function BuildOf({ artifact, mayWrite }: { artifact: Artifact; mayWrite: boolean }) {
  const client = useQueryClient();
  const choices = useQuery(buildChoicesQuery);
  const change = useMutation({
    mutationFn: (buildId: string) => updateBuild(artifact.id, buildId),
    onSettled: () => client.invalidateQueries({ queryKey: ['artifact'] }),
  });
  const known = choices.data ?? [];
  if (!mayWrite || known.length === 0) {
    return (
      known.find(({ value }) => value === artifact.build_id)?.label ?? (
        <span className="muted">none</span>
      )
    );
  }
  return (
    <Select
      aria-label="Build"
      placeholder="none"
      searchable
      data={known}
      value={artifact.build_id}
      error={change.error?.message}
      onChange={(value) => {
        if (value) change.mutate(value);
      }}
      w="100%"
      maw={320}
    />
  );
}
