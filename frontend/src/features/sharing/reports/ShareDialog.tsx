/**
 * Share links of a report. A description and a preview show what a link contains before it is
 * created.
 */
import { Button, Checkbox, Modal, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Report, Scrubbed, ShareLink, ShareLinkCreatedOut } from '../../../api';
import {
  CopyField,
  EmptyState,
  ErrorState,
  RowAction,
  SkeletonRows,
  Timestamp,
  countOf,
  onText,
} from '../../../ui';
import { createLink, linksQuery, revokeLink, scrubbedQuery, sharingQuery } from './report-queries';
import classes from './reports.module.css';
import { ALL_SCRUBBED, type Scrub } from './report-types';

type DialogProps = {
  report: Report;
  previewLink: (scrub: Scrub, version: number | undefined, words: string) => ReactNode;
  onClose: () => void;
};

const EXPIRIES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'a year' },
  { value: '', label: 'never' },
];

const TAKEN_OUT: { id: keyof Scrub; name: string }[] = [
  { id: 'labels', name: 'label values' },
  { id: 'paths', name: 'directories in paths' },
  { id: 'hosts', name: 'hosts, addresses and instances' },
  { id: 'users', name: 'names of users' },
];

export function ShareDialog({ report, previewLink, onClose }: DialogProps) {
  const sharing = useQuery(sharingQuery);
  const [made, setMade] = useState<ShareLinkCreatedOut | null>(null);
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title="Share"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {sharing.error && <ErrorState compact error={sharing.error} />}
      {report.version === 0 ? (
        <EmptyState>
          A link shows the published version. Publish the report first; the draft is visible only to
          the team.
        </EmptyState>
      ) : sharing.data?.are_links_allowed === false ? (
        <EmptyState>
          Share links are off for this team. Admins and owners can enable them in the settings.
        </EmptyState>
      ) : made ? (
        <div className={classes.made} role="status">
          <CopyField
            label={`Link “${made.name}”`}
            description="The link is shown once. Anyone with it can view the report without signing in."
            value={made.url}
          />
          <Button onClick={() => setMade(null)}>Create another link</Button>
        </div>
      ) : (
        <NewLink report={report} previewLink={previewLink} onMade={setMade} />
      )}
      <Links reportId={report.id} />
    </Modal>
  );
}

type NewProps = Omit<DialogProps, 'onClose'> & { onMade: (made: ShareLinkCreatedOut) => void };

function NewLink({ report, previewLink, onMade }: NewProps) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [days, setDays] = useState('30');
  const [version, setVersion] = useState('newest');
  const [scrub, setScrub] = useState(ALL_SCRUBBED);
  const shown = version === 'newest' ? report.version : Number(version);
  const save = useMutation({
    mutationFn: () =>
      createLink(report.id, {
        name: name.trim(),
        expires_in_days: days === '' ? null : Number(days),
        version: version === 'newest' ? 'newest' : Number(version),
        scrub,
        comments: false,
      }),
    onSuccess: onMade,
    onSettled: () => client.invalidateQueries({ queryKey: ['report'] }),
  });
  return (
    <form
      className={classes.form}
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <TextInput
        label="Link name"
        description="Visible only to the team"
        placeholder="the storage team"
        value={name}
        maxLength={200}
        data-autofocus
        onChange={onText(setName)}
      />
      <div className={classes.pair}>
        <Select
          label="Expires after"
          data={EXPIRIES}
          value={days}
          allowDeselect={false}
          onChange={(value) => setDays(value ?? '30')}
        />
        <Select
          label="Shows"
          data={[
            { value: 'newest', label: 'always the newest published version' },
            ...Array.from({ length: report.version }, (_, at) => ({
              value: String(report.version - at),
              label: `version ${report.version - at} only`,
            })),
          ]}
          value={version}
          allowDeselect={false}
          onChange={(value) => setVersion(value ?? 'newest')}
        />
      </div>
      <Scrubbing reportId={report.id} version={shown} scrub={scrub} onScrub={setScrub} />
      {save.error && <ErrorState compact what="Could not create the link" error={save.error} />}
      <div className={classes.buttons}>
        <Button
          type="submit"
          variant="filled"
          loading={save.isPending}
          disabled={name.trim() === ''}
          title={name.trim() === '' ? 'Enter a link name' : undefined}
        >
          Create link
        </Button>
        {previewLink(scrub, shown, 'Preview')}
      </div>
    </form>
  );
}

type ScrubbingProps = {
  reportId: string;
  version: number;
  scrub: Scrub;
  onScrub: (scrub: Scrub) => void;
};

function Scrubbing({ reportId, version, scrub, onScrub }: ScrubbingProps) {
  const found = useQuery(scrubbedQuery(reportId, ALL_SCRUBBED, version));
  return (
    <fieldset className={classes.scrub}>
      <legend>Removed from the shared version</legend>
      {TAKEN_OUT.map(({ id, name }) => (
        <Checkbox
          key={id}
          label={name}
          description={describeScrubbing(found.data, id)}
          checked={scrub[id]}
          onChange={(event) => onScrub({ ...scrub, [id]: event.currentTarget.checked })}
        />
      ))}
      {found.error && (
        <ErrorState compact what="Could not load what would be removed" error={found.error} />
      )}
      <p className="muted">
        Names of functions, commits and services and the text stay, except for these.
      </p>
    </fieldset>
  );
}

/** Describes what is scrubbed: "4 here: /home/mira/api.go becomes api.go". */
function describeScrubbing(found: Scrubbed | undefined, id: keyof Scrub): string {
  if (!found) return 'looking';
  if (found[id] === 0) return 'none here';
  const sample = found.samples.find(({ kind: what }) => what === id);
  return `${found[id]} here${sample ? `: ${sample.before} becomes ${sample.after}` : ''}`;
}

function Links({ reportId }: { reportId: string }) {
  const client = useQueryClient();
  const links = useQuery(linksQuery(reportId));
  const revoke = useMutation({
    mutationFn: (id: string) => revokeLink(reportId, id),
    onSettled: () => client.invalidateQueries({ queryKey: ['report'] }),
  });
  if (links.error)
    return <ErrorState compact what="Could not load the links" error={links.error} />;
  if (links.isPending) return <SkeletonRows rows={2} height={42} label="Loading the links" />;
  if (links.data.length === 0) return null;
  return (
    <>
      <h3 className={classes.linksHead}>Existing links</h3>
      <ul className={classes.links} aria-label="Existing links">
        {links.data.map((link) => (
          <li key={link.id} aria-label={link.name}>
            <b>{link.name}</b>
            <span className="muted">{stateOf(link)}</span>
            <span className="muted">
              {link.version === 'newest' ? 'newest version' : `version ${link.version}`} ·{' '}
              {countOf(link.views, 'look')}
              {link.last_viewed_at && (
                <>
                  , last <Timestamp at={link.last_viewed_at} />
                </>
              )}
            </span>
            <span className="grow" />
            {isOpen(link) && (
              <RowAction
                word="Revoke"
                label={`Revoke ${link.name}`}
                loading={revoke.isPending && revoke.variables === link.id}
                onClick={() => revoke.mutate(link.id)}
              />
            )}
          </li>
        ))}
      </ul>
      {revoke.error && <ErrorState compact what="Could not revoke the link" error={revoke.error} />}
    </>
  );
}

const isOpen = ({ revoked_at, expires_at }: ShareLink): boolean =>
  revoked_at === null && (expires_at === null || Date.parse(expires_at) > Date.now());

function stateOf(link: ShareLink): ReactNode {
  if (link.revoked_at)
    return (
      <>
        revoked <Timestamp at={link.revoked_at} />
      </>
    );
  if (!link.expires_at) return 'does not expire';
  return (
    <>
      {isOpen(link) ? 'expires' : 'expired'} <Timestamp at={link.expires_at} exact />
    </>
  );
}
