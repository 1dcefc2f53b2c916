/**
 * The commands that upload a profile of a service's build, and a confirmation when its first build
 * arrives.
 */
import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Build } from '../../../api';
import { tokenPlaceholder } from '../../../lib/token-placeholder';
import { HelpLink, StateIcon } from '../../../ui';
import { shortCommit } from '../../../lib/commits';
import classes from './Catalog.module.css';
import { newestBuildQuery, servicesQuery } from './catalog-queries';

const NEW_SERVICE = 'my-service';

/** Returns five lines for a POSIX shell in the repository of the service. */
export const uploadCommands = (origin: string, slug: string, token: string): string[] => [
  `export SLOWPATH_URL=${origin}`,
  `export SLOWPATH_TOKEN=${token}`,
  "curl -sSo cpu.pprof 'http://localhost:6060/debug/pprof/profile?seconds=30'",
  `build="$SLOWPATH_URL/api/v1/builds/${slug}/$(git rev-parse HEAD)"`,
  'curl -sSf -H "Authorization: Bearer $SLOWPATH_TOKEN" -T cpu.pprof "$build/artifacts/cpu.pprof?branch=$(git branch --show-current)"',
];

type UploadStepsProps = {
  /** A service without an id is created by its first build. */
  service: { id?: string; slug: string };
  /** The secret of a token that was just created. */
  token?: string;
  buildLink: (build: Build, words: ReactNode) => ReactNode;
};

export function UploadSteps({ service, token, buildLink }: UploadStepsProps) {
  const [copied, setCopied] = useState(false);
  const text = uploadCommands(
    window.location.origin,
    service.slug,
    token ?? tokenPlaceholder('upload'),
  ).join('\n');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(`${text}\n`);
      setCopied(true);
    } catch {
      setCopied(false);
    }
  };
  return (
    <section aria-label="Upload a build" className={classes.steps}>
      <p>
        Run these commands in the repository, first by hand, then in CI. From the second build on,
        each build is compared with the one before it.
      </p>
      <pre tabIndex={0} aria-label="Commands" className={classes.commands}>
        {text}
      </pre>
      <div className={classes.buttons}>
        <HelpLink topic="ci" />
        <Button onClick={() => void copy()} aria-live="polite">
          {copied ? 'Copied' : 'Copy the commands'}
        </Button>
      </div>
      <FirstBuild serviceId={service.id} buildLink={buildLink} />
    </section>
  );
}

type TeamUploadStepsProps = Omit<UploadStepsProps, 'service'>;

/** The commands for a chosen service of the team, or for one that the first build creates. */
export function TeamUploadSteps(props: TeamUploadStepsProps) {
  const services = useQuery(servicesQuery);
  const [chosen, setChosen] = useState<string | null>(null);
  const items = services.data?.items ?? [];
  const service = items.find(({ id }) => id === chosen) ?? items[0] ?? { slug: NEW_SERVICE };
  return (
    <>
      {items.length > 1 && (
        <Select
          label="Service"
          data={items.map(({ id, name }) => ({ value: id, label: name }))}
          allowDeselect={false}
          value={'id' in service ? service.id : null}
          onChange={setChosen}
          w={220}
        />
      )}
      <UploadSteps service={service} {...props} />
    </>
  );
}

type FirstBuildProps = { serviceId?: string; buildLink: UploadStepsProps['buildLink'] };

/**
 * The first build of a service. The event stream names each new build, so it appears as soon as it
 * arrives.
 */
function FirstBuild({ serviceId, buildLink }: FirstBuildProps) {
  const newest = useQuery(newestBuildQuery(serviceId));
  const build = newest.data?.items[0];
  return (
    <p role="status">
      {build ? (
        <>
          <StateIcon glyph="done">received</StateIcon> Build{' '}
          {buildLink(build, <span className="mono">{shortCommit(build.commit)}</span>)} arrived.
        </>
      ) : (
        <StateIcon glyph="waiting">waiting for the first build</StateIcon>
      )}
    </p>
  );
}
