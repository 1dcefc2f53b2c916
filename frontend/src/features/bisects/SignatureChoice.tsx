/** By which measure good and bad are told apart; of latency also where the board reads it, and whose requests they are. */
import { Radio, Select } from '@mantine/core';
import type { BisectOffer, BisectSettings } from '../../api';
import classes from './bisects.module.css';
import { USUAL } from './settings';
import { measureText, secondsText } from './wording';

type Offered = BisectOffer['signatures'][number];
type Board = NonNullable<BisectSettings['board']>;
type Match = NonNullable<Board['match']>;

const CUSTOM = 'custom';
const MATCHES: { value: Match; label: string }[] = [
  { value: 'instance', label: 'their instance, named by the run' },
  { value: 'version', label: 'a label with the commit or the run' },
  { value: 'environment', label: 'the environment: all are' },
];
const SAYS: Record<Match, string> = {
  instance:
    'What a runner starts has its run as service.instance.id in OTEL_RESOURCE_ATTRIBUTES; with Prometheus, give its series the label slowpath_run_id.',
  version: 'Two deploys of one build at the same time are taken for one.',
  environment: 'Nothing else may answer there meanwhile: one deploy at a time, and no control.',
};

/** Settings with what a measure asks for: the board of latency, and windows as long as its traffic says. */
export function settingsFor(
  settings: BisectSettings,
  { board }: Pick<Offered, 'board'>,
): BisectSettings {
  if (!board) {
    const { window_seconds } = settings.board ? USUAL : settings;
    return { ...settings, board: null, window_seconds };
  }
  const { environment_id, window_seconds } = board;
  return {
    ...settings,
    board: { environment_id, match: settings.board?.match ?? 'instance' },
    window_seconds: Math.max(window_seconds ?? 0, settings.window_seconds ?? 0),
  };
}

type Props = {
  offer: BisectOffer;
  chosen: number;
  onChosen: (next: number) => void;
  settings: BisectSettings;
  onSettings: (next: BisectSettings) => void;
};

export function SignatureChoice({ offer, chosen, onChosen, settings, onSettings }: Props) {
  const { signatures } = offer;
  const board = signatures[chosen]?.board;
  return (
    <>
      <Radio.Group
        label="What tells a good build from a bad one"
        value={String(chosen)}
        onChange={(next) => {
          const one = signatures[Number(next)];
          onChosen(Number(next));
          if (one) onSettings(settingsFor(settings, one));
        }}
      >
        <div className={classes.choices}>
          {signatures.map((one, index) => (
            <Radio
              key={`${one.kind} ${one.subject}`}
              value={String(index)}
              label={one.label}
              description={one.kind === CUSTOM ? one.why : measureText(one)}
            />
          ))}
        </div>
      </Radio.Group>
      {board && settings.board && (
        <BoardFields
          environments={offer.environments}
          value={settings.board}
          seconds={settings.window_seconds ?? 0}
          advised={board.window_seconds}
          onChange={(next) => {
            onSettings({ ...settings, board: next });
          }}
        />
      )}
    </>
  );
}

type BoardProps = {
  environments: BisectOffer['environments'];
  value: Board;
  seconds: number;
  /** How long windows must be by the traffic; null: nobody knows. */
  advised: number | null;
  onChange: (value: Board) => void;
};

function BoardFields({ environments, value, seconds, advised, onChange }: BoardProps) {
  const match = value.match ?? 'instance';
  return (
    <div>
      <div className={classes.fields}>
        <Select
          label="Environment it pushes from"
          w={220}
          allowDeselect={false}
          data={environments.map(({ id, name }) => ({ value: id, label: name }))}
          value={value.environment_id}
          onChange={(environment_id) => {
            if (environment_id) onChange({ ...value, environment_id });
          }}
        />
        <Select
          label="Its requests are known by"
          w={290}
          allowDeselect={false}
          data={MATCHES}
          value={match}
          onChange={(next) => {
            const known = MATCHES.find((one) => one.value === next);
            if (known) onChange({ ...value, match: known.value });
          }}
        />
      </div>
      <p className={classes.advice}>
        {SAYS[match]} Windows of {secondsText(seconds)}
        {advised === null
          ? '; how many requests come is not known yet, and they grow where it is too few.'
          : ', by the requests that come there now.'}
      </p>
    </div>
  );
}
