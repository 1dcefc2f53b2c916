/** *Start bisect*: what would be searched, by which measure, and who deploys; then it begins. */
import { Button, Popover, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { BisectProposalOut, BisectSettings, BisectWords } from '../../../api';
import { ErrorState, FormBody, FormDialog, SideMark, SkeletonRows, Timestamp } from '../../../ui';
import RegressionBisects from './RegressionBisects';
import type { RunnerTeam } from './RunnerCommand';
import { ProductionBaselines } from './ProductionBaselines';
import { AvailableRunners } from './AvailableRunners';
import { SettingsFields } from './SettingsFields';
import { SignatureChoice, settingsFor } from './SignatureChoice';
import classes from './bisects.module.css';
import { proposalQuery, startBisect, type Subject } from './bisect-queries';
import { DEFAULT_SETTINGS, validateSettings } from './bisect-settings';
import { shortSha } from './bisect-wording';

type NamedService = { id: string; name: string };
/** Without an address its commits cannot be read, and no search can be planned. */
type NamedRepository = NamedService & { url: string | null };
export type StartBisectProps = {
  /** What it begins from; null: all settings are manual. */
  subject: Subject | null;
  team: RunnerTeam;
  services: NamedService[];
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
    ...proposalQuery(props.subject),
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
        A bisect reads the commits of a repository. {missing} Add it under{' '}
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
      <Button variant={props.primary ? 'filled' : undefined} onClick={() => setOpened(true)}>
        Start bisect
      </Button>
      {opened && (
        <FormDialog title="Start bisect" size="lg" onClose={() => setOpened(false)}>
          <Offered {...props} onClose={() => setOpened(false)} />
        </FormDialog>
      )}
    </>
  );
}

type OfferedProps = ReadyProps & { onClose: () => void };

const POLL_MS = 5000;

function Offered(props: OfferedProps) {
  const [ends, setEnds] = useState<Ends>({ service: null, repository: null, good: '', bad: '' });
  const subject = props.subject ?? (ends.service ? { service_id: ends.service } : null);
  // While the dialog is open a runner may appear.
  const offer = useQuery({ ...proposalQuery(subject), refetchInterval: POLL_MS });
  if (offer.error)
    return <ErrorState what="Could not load the bisect proposal" error={offer.error} />;
  if (!offer.data) return <SkeletonRows rows={6} label="Loading commits and measurements" />;
  // Another service has other measures.
  const about = offer.data.service?.id ?? '';
  return (
    <Form
      {...props}
      key={about}
      subject={subject}
      chooses={props.subject === null}
      offer={offer.data}
      ends={ends}
      onEnds={setEnds}
    />
  );
}

const SHA = /^[0-9a-f]{40}$/u;

function Form(props: EndsProps) {
  const { offer, subject, ends, onStarted, onClose } = props;
  const client = useQueryClient();
  const [measure, setMeasure] = useState(0);
  const [settings, setSettings] = useState<BisectSettings>(() =>
    settingsFor(DEFAULT_SETTINGS, offer.signatures[0] ?? { dashboard_selector: null }),
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
    blockedBy(offer, ends, chosen !== undefined, props.repositories) ?? validateSettings(settings);
  return (
    <FormBody
      what="Could not start the bisect"
      submit="Start bisect"
      save={{
        mutate: () => {
          start.mutate({
            ...subject,
            service_id: ends.service ?? offer.service?.id ?? undefined,
            repository_id: ends.repository ?? undefined,
            good_sha: ends.good || undefined,
            bad_sha: ends.bad || undefined,
            signature: chosen && { kind: chosen.kind, subject: chosen.subject },
            settings: {
              ...settings,
              use_production_baselines:
                chosen?.production_baselines != null && settings.use_production_baselines,
            },
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
      {chosen?.production_baselines && (
        <ProductionBaselines
          known={chosen.production_baselines}
          value={settings}
          onChange={setSettings}
        />
      )}
      <AvailableRunners offer={offer} team={props.team} wanted={settings.runner_labels ?? {}} />
      <details className={classes.folded}>
        <summary>Settings</summary>
        <div>
          <SettingsFields
            value={settings}
            onChange={(next) => setSettings({ ...settings, ...next })}
          />
          <BuildFields value={settings} onChange={setSettings} />
        </div>
      </details>
    </FormBody>
  );
}

type Ends = { service: string | null; repository: string | null; good: string; bad: string };

function blockedBy(
  offer: BisectProposalOut,
  ends: Ends,
  measured: boolean,
  repositories: NamedRepository[],
): string | undefined {
  const unread = unreadable(offer.repository, repositories);
  if (unread) return unread;
  if (!offer.service && !ends.service) return 'Select the service';
  if (!offer.repository && !ends.repository) return 'Select the repository';
  for (const [end, known] of [
    [ends.good, offer.good],
    [ends.bad, offer.bad],
  ] as const) {
    if (end === '' && !known) return 'Enter the good and the bad commit';
    if (end !== '' && !SHA.test(end)) return 'Enter full 40-character commit SHAs';
  }
  return measured ? undefined : 'No metric to measure yet';
}

/** Why no search can be planned, whatever else is chosen: the server would refuse to start it. */
function unreadable(
  known: BisectProposalOut['repository'],
  repositories: NamedRepository[],
): string | undefined {
  if (known) return known.url === null ? `${known.label} has no URL.` : undefined;
  return repositories.every(({ url }) => url === null) ? 'No repository has a URL.' : undefined;
}

/** What is there already: the range, and other searches of the same regression. */
function Known({ offer, subject, link }: OfferedProps & { offer: BisectProposalOut }) {
  const { good, bad, service, repository } = offer;
  const end = (side: 'base' | 'candidate', word: string, at: typeof good) =>
    at && (
      <span>
        <SideMark side={side} /> <span className="muted">{word}</span>{' '}
        <span className="mono">{shortSha(at.sha)}</span> {at.title}{' '}
        {at.at && (
          <span className="muted">
            <Timestamp at={at.at} />
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
        <RegressionBisects regression_id={subject.regression_id} link={link} />
      )}
      {offer.missing_inputs.length > 0 && (
        <ul className={classes.missing} aria-label="Missing information">
          {offer.missing_inputs.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
      )}
    </>
  );
}

type EndsProps = OfferedProps & {
  offer: BisectProposalOut;
  /** Nothing says of which service it is. */
  chooses: boolean;
  ends: Ends;
  onEnds: (ends: Ends) => void;
};

/** Only what the offer leaves open. */
function EndsFields({ offer, chooses, ends, onEnds, services, repositories }: EndsProps) {
  const options = (all: NamedService[]) => all.map(({ id, name }) => ({ value: id, label: name }));
  const commit = (end: 'good' | 'bad', label: string) => (
    <TextInput
      label={label}
      placeholder="Full commit SHA"
      classNames={{ input: 'mono' }}
      maxLength={40}
      w={330}
      value={ends[end]}
      onChange={(event) =>
        onEnds({ ...ends, [end]: event.currentTarget.value.trim().toLowerCase() })
      }
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
          value={ends.service}
          onChange={(service) => onEnds({ ...ends, service })}
        />
      )}
      {!offer.repository && (
        <Select
          label="Repository"
          description={unreadable(offer.repository, repositories)}
          searchable
          data={repositories.map(({ id, name, url }) => ({
            value: id,
            label: url === null ? `${name} (no URL)` : name,
            disabled: url === null,
          }))}
          value={ends.repository}
          onChange={(repository) => onEnds({ ...ends, repository })}
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
        onChange={(event) =>
          onChange({ ...value, main_package: event.currentTarget.value || null })
        }
      />
      <TextInput
        label="go.mod directory"
        placeholder="Repository root"
        maxLength={300}
        value={value.directory ?? ''}
        onChange={(event) => onChange({ ...value, directory: event.currentTarget.value })}
      />
    </div>
  );
}
