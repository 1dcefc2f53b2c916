/** *Start bisect*: what would be searched, by which measure, and who deploys; then it begins. */
import { Button, Popover, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { BisectOffer, BisectSettings, BisectWords } from '../../api';
import { ErrorState, FormBody, FormDialog, SideMark, SkeletonRows, Time } from '../../ui';
import Earlier from './Earlier';
import type { RunnerTeam } from './RunnerCommand';
import { KnownEnds } from './KnownEnds';
import { RunnersThere } from './RunnersThere';
import { SettingsFields } from './SettingsFields';
import { SignatureChoice, settingsFor } from './SignatureChoice';
import classes from './bisects.module.css';
import { offerQuery, startBisect, type Subject } from './queries';
import { USUAL, wrongSettings } from './settings';
import { shortSha } from './wording';

type Named = { id: string; name: string };
/** Without an address its commits cannot be read, and no search can be planned. */
type NamedRepository = Named & { url: string | null };
export type StartBisectProps = {
  /** What it begins from; null: everything is said by hand. */
  subject: Subject | null;
  team: RunnerTeam;
  services: Named[];
  /** Undefined while they are read. */
  repositories: NamedRepository[] | undefined;
  onStarted: (id: string) => void;
  /** To the bisects that a regression has already. */
  link?: (id: string, words: ReactNode) => ReactNode;
  /** To where the address of a repository is entered. */
  integrations: (words: ReactNode) => ReactNode;
  primary?: boolean;
};

/** The button, or one that says what is missing: the server would refuse whatever is entered in the dialog. */
export default function StartBisect({ repositories, ...props }: StartBisectProps) {
  const partly = repositories?.some(({ url }) => url === null) ?? false;
  const offer = useQuery({
    ...offerQuery(props.subject),
    enabled: partly && props.subject !== null,
  });
  if (!repositories || offer.isLoading) return null;
  const missing = unreadable(offer.data?.repository ?? null, repositories);
  if (missing === undefined) return <StartButton {...props} repositories={repositories} />;
  return (
    <Popover
      width={280}
      position="bottom-end"
      hideDetached={false}
      transitionProps={{ duration: 0 }}
    >
      <Popover.Target>
        <Button>Set up bisect</Button>
      </Popover.Target>
      <Popover.Dropdown>
        A bisect reads the commits of a repository. {missing} Add it in{' '}
        {props.integrations('Settings, Integrations')}.
      </Popover.Dropdown>
    </Popover>
  );
}

type ReadyProps = Omit<StartBisectProps, 'repositories' | 'integrations'> & {
  repositories: NamedRepository[];
};

function StartButton(props: ReadyProps) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button
        variant={props.primary ? 'filled' : undefined}
        onClick={() => {
          setOpened(true);
        }}
      >
        Start bisect
      </Button>
      {opened && (
        <FormDialog
          title="Start bisect"
          size="lg"
          onClose={() => {
            setOpened(false);
          }}
        >
          <Offered
            {...props}
            onClose={() => {
              setOpened(false);
            }}
          />
        </FormDialog>
      )}
    </>
  );
}

type OfferedProps = ReadyProps & { onClose: () => void };

const LOOK_MS = 5000;

function Offered(props: OfferedProps) {
  const [said, setSaid] = useState<Ends>({ service: null, repository: null, good: '', bad: '' });
  const subject = props.subject ?? (said.service ? { service_id: said.service } : null);
  // While the dialog is open a runner may appear.
  const offer = useQuery({ ...offerQuery(subject), refetchInterval: LOOK_MS });
  if (offer.error)
    return <ErrorState what="What could be searched is not known" error={offer.error} />;
  if (!offer.data) return <SkeletonRows rows={6} label="Looking at commits and measures" />;
  // Another service has other measures.
  const about = offer.data.service?.id ?? '';
  return (
    <Form
      {...props}
      key={about}
      subject={subject}
      chooses={props.subject === null}
      offer={offer.data}
      said={said}
      onSaid={setSaid}
    />
  );
}

const SHA = /^[0-9a-f]{40}$/u;

function Form(props: EndsProps) {
  const { offer, subject, said, onStarted, onClose } = props;
  const client = useQueryClient();
  const [measure, setMeasure] = useState(0);
  const [settings, setSettings] = useState<BisectSettings>(() =>
    settingsFor(USUAL, offer.signatures[0] ?? { board: null }),
  );
  const start = useMutation({
    mutationFn: (body: BisectWords) => startBisect(body),
    onSuccess: async ({ id }) => {
      onClose();
      onStarted(id);
      await client.invalidateQueries({ queryKey: ['bisect'] });
    },
  });
  const chosen = offer.signatures[measure] ?? offer.signatures[0];
  const blocked =
    blockedBy(offer, said, chosen !== undefined, props.repositories) ?? wrongSettings(settings);
  return (
    <FormBody
      what="No bisect was started"
      submit="Start bisect"
      keep={{
        mutate: () => {
          start.mutate({
            ...subject,
            service_id: said.service ?? offer.service?.id ?? undefined,
            repository_id: said.repository ?? undefined,
            good_sha: said.good || undefined,
            bad_sha: said.bad || undefined,
            signature: chosen && { kind: chosen.kind, subject: chosen.subject },
            settings: { ...settings, known_ends: chosen?.known != null && settings.known_ends },
          });
        },
        isPending: start.isPending,
        error: start.error,
      }}
      blocked={blocked}
      onCancel={onClose}
    >
      <Known {...props} />
      <EndsFields {...props} />
      <SignatureChoice
        offer={offer}
        chosen={measure}
        onChosen={setMeasure}
        settings={settings}
        onSettings={setSettings}
      />
      {chosen?.known && <KnownEnds known={chosen.known} value={settings} onChange={setSettings} />}
      <RunnersThere offer={offer} team={props.team} wanted={settings.runner_labels ?? {}} />
      <details className={classes.folded}>
        <summary>Settings</summary>
        <div>
          <SettingsFields
            value={settings}
            onChange={(next) => {
              setSettings({ ...settings, ...next });
            }}
          />
          <BuildFields value={settings} onChange={setSettings} />
        </div>
      </details>
    </FormBody>
  );
}

type Ends = { service: string | null; repository: string | null; good: string; bad: string };

function blockedBy(
  offer: BisectOffer,
  said: Ends,
  measured: boolean,
  repositories: NamedRepository[],
): string | undefined {
  const unread = unreadable(offer.repository, repositories);
  if (unread) return unread;
  if (!offer.service && !said.service) return 'Choose the service';
  if (!offer.repository && !said.repository) return 'Choose the repository';
  for (const [end, known] of [
    [said.good, offer.good],
    [said.bad, offer.bad],
  ] as const) {
    if (end === '' && !known) return 'Name the good and the bad commit';
    if (end !== '' && !SHA.test(end)) return 'A commit is named by its 40 letters and digits';
  }
  return measured ? undefined : 'There is nothing to measure yet';
}

/** Why no search can be planned, whatever else is chosen: the server would refuse to start it. */
function unreadable(
  known: BisectOffer['repository'],
  repositories: NamedRepository[],
): string | undefined {
  if (known) return known.url === null ? `${known.label} has no address.` : undefined;
  return repositories.every(({ url }) => url === null)
    ? 'No repository has an address.'
    : undefined;
}

/** What is there already: the range, and other searches of the same regression. */
function Known({ offer, subject, link }: OfferedProps & { offer: BisectOffer }) {
  const { good, bad, service, repository } = offer;
  const end = (side: 'base' | 'candidate', word: string, at: typeof good) =>
    at && (
      <span>
        <SideMark side={side} /> <span className="muted">{word}</span>{' '}
        <span className="mono">{shortSha(at.sha)}</span> {at.title}{' '}
        {at.at && (
          <span className="muted">
            <Time at={at.at} />
          </span>
        )}
      </span>
    );
  return (
    <>
      {(good !== null || bad !== null || service !== null) && (
        <div className={classes.range}>
          {end('base', 'good', good)}
          {end('candidate', 'bad', bad)}
          {(service ?? repository) && (
            <span className="muted">
              {[service?.name, repository && `from ${repository.label}`].filter(Boolean).join(' ')}
            </span>
          )}
        </div>
      )}
      {subject && 'regression_id' in subject && link && (
        <Earlier regression_id={subject.regression_id} link={link} />
      )}
      {offer.missing.length > 0 && (
        <ul className={classes.missing} aria-label="What is missing">
          {offer.missing.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
      )}
    </>
  );
}

type EndsProps = OfferedProps & {
  offer: BisectOffer;
  /** Nothing says of which service it is. */
  chooses: boolean;
  said: Ends;
  onSaid: (said: Ends) => void;
};

/** Only what the offer leaves open. */
function EndsFields({ offer, chooses, said, onSaid, services, repositories }: EndsProps) {
  const options = (all: Named[]) => all.map(({ id, name }) => ({ value: id, label: name }));
  const commit = (end: 'good' | 'bad', label: string) => (
    <TextInput
      label={label}
      placeholder="40 letters and digits"
      classNames={{ input: 'mono' }}
      maxLength={40}
      w={330}
      value={said[end]}
      onChange={(event) => {
        onSaid({ ...said, [end]: event.currentTarget.value.trim().toLowerCase() });
      }}
    />
  );
  const open = chooses || !offer.service || !offer.repository || !offer.good || !offer.bad;
  if (!open) return null;
  return (
    <div className={classes.fields}>
      {(chooses || !offer.service) && (
        <Select
          label="Service"
          searchable
          data={options(services)}
          value={said.service}
          onChange={(service) => {
            onSaid({ ...said, service });
          }}
        />
      )}
      {!offer.repository && (
        <Select
          label="Repository it is built from"
          description={unreadable(offer.repository, repositories)}
          searchable
          data={repositories.map(({ id, name, url }) => ({
            value: id,
            label: url === null ? `${name} (no address)` : name,
            disabled: url === null,
          }))}
          value={said.repository}
          onChange={(repository) => {
            onSaid({ ...said, repository });
          }}
        />
      )}
      {!offer.good && commit('good', 'Good commit')}
      {!offer.bad && commit('bad', 'Bad commit')}
    </div>
  );
}

type BuildProps = { value: BisectSettings; onChange: (value: BisectSettings) => void };

function BuildFields({ value, onChange }: BuildProps) {
  return (
    <div className={classes.fields}>
      <TextInput
        label="Main package"
        placeholder="./cmd/ingester"
        maxLength={300}
        value={value.main_package ?? ''}
        onChange={(event) => {
          onChange({ ...value, main_package: event.currentTarget.value || null });
        }}
      />
      <TextInput
        label="Folder of go.mod"
        placeholder="the top"
        maxLength={300}
        value={value.directory ?? ''}
        onChange={(event) => {
          onChange({ ...value, directory: event.currentTarget.value });
        }}
      />
    </div>
  );
}
