/** Every deploy over time, and of the one that is looked at what it measured beside all others. */
import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Bisect, Probe } from '../../api';
import { EvidenceDots, ProbeLanes, VerdictMark, type EvidenceRow } from '../../charts';
import {
  EmptyState,
  ErrorState,
  FormBody,
  FormDialog,
  LiveOnly,
  Section,
  Time,
  countOf,
  countText,
  useMoment,
} from '../../ui';
import { Would } from './Would';
import classes from './bisects.module.css';
import { annulProbe, artifactsOf, compareProbe } from './queries';
import {
  PHASES,
  PURPOSES,
  VERDICTS,
  ends,
  isOpen,
  lastOf,
  oddsText,
  probeText,
  shortSha,
} from './wording';

type Props = {
  bisect: Bisect;
  mayWrite: boolean;
  onOpenComparison: (id: string) => void;
};

const MARKED = 'mark';
const KNOWN = 'known';

export function Probes(props: Props) {
  const { bisect } = props;
  const moment = useMoment();
  const [chosen, setChosen] = useState<number | null>(null);
  const deployed = bisect.probes.filter(({ purpose }) => purpose !== MARKED);
  const probe =
    bisect.probes.find(({ number }) => number === chosen) ?? deployed[deployed.length - 1];
  const control = bisect.settings.control ?? false;
  const lanes = deployed.filter(({ purpose }) => purpose !== KNOWN);
  return (
    <div className={classes.two}>
      <Section
        title="Probes"
        aside={`${countOf(bisect.settings.slots ?? 1, 'slot')}${control ? ', a control of the good build beside every round' : ''} · the first part of each is deploying and warming up`}
      >
        {lanes.some(({ slot }) => slot !== null) && (
          <ProbeLanes
            probes={lanes.map((one) => ({
              number: one.number,
              slot: one.slot,
              isControl: one.purpose === 'control',
              began: Date.parse(one.leased_at ?? one.asked_at),
              ready: one.ready_at ? Date.parse(one.ready_at) : null,
              ended: one.ended_at
                ? Date.parse(one.ended_at)
                : isOver(one)
                  ? Date.parse(one.ready_at ?? one.asked_at)
                  : null,
              verdict: one.verdict ?? 'probing',
              told: probeText(one),
            }))}
            now={moment.getTime()}
            chosen={probe?.number ?? null}
            onChoose={setChosen}
          />
        )}
        <Waiting bisect={bisect} />
        <InProduction bisect={bisect} onChoose={setChosen} />
      </Section>
      {probe && <Evidence key={probe.number} {...props} probe={probe} />}
    </div>
  );
}

/** What was measured before the search, of both ends. */
function InProduction({
  bisect,
  onChoose,
}: {
  bisect: Bisect;
  onChoose: (number: number) => void;
}) {
  const known = bisect.probes.filter(({ purpose }) => purpose === KNOWN);
  if (known.length === 0) return null;
  return (
    <p className={classes.known}>
      <span className="muted">{PURPOSES.known}</span>
      {known.map((one) => (
        <button
          key={one.number}
          type="button"
          className="link"
          onClick={() => {
            onChoose(one.number);
          }}
        >
          {one.title}, {countOf(one.windows.length, 'window')}
          {one.state === 'annulled' && ', does not count'}
        </button>
      ))}
    </p>
  );
}

const isOver = ({ state }: Probe): boolean => state === 'lost' || state === 'annulled';

function Waiting({ bisect }: { bisect: Bisect }) {
  const asked = bisect.probes.filter(({ state }) => state === 'asked');
  const runners = [...new Set(bisect.probes.flatMap(({ runner }) => runner ?? []))];
  const parts = [
    bisect.cost.rounds > 0 ? `round ${bisect.cost.rounds}` : '',
    asked.length > 0 && isOpen(bisect) ? `${countOf(asked.length, 'deploy')} asked for` : '',
    runners.length > 0 ? `by ${runners.join(', ')}` : '',
  ];
  return <p className="muted">{parts.filter((part) => part !== '').join(' · ')}</p>;
}

function Evidence({ bisect, probe, mayWrite, onOpenComparison }: Props & { probe: Probe }) {
  const { evidence } = bisect;
  const values = probe.windows.flatMap(({ value, annulled }) =>
    value === null || annulled ? [] : [value],
  );
  const rows: EvidenceRow[] = [
    { name: `good, ${evidence.good.length}`, values: evidence.good, tone: 'less' as const },
    { name: `bad, ${evidence.bad.length}`, values: evidence.bad, tone: 'more' as const },
    {
      name: `control, ${evidence.control.length}`,
      values: evidence.control,
      tone: 'quiet' as const,
    },
    {
      name: `known good, ${evidence.known_good.length}`,
      values: evidence.known_good,
      tone: 'less' as const,
    },
    {
      name: `known bad, ${evidence.known_bad.length}`,
      values: evidence.known_bad,
      tone: 'more' as const,
    },
    { name: `probe ${probe.number}, ${values.length}`, values, tone: 'accent' as const },
  ].filter((row) => row.values.length > 0);
  const counted = probe.windows.filter(({ annulled }) => !annulled);
  return (
    <Section
      title={`Evidence of probe ${probe.number}`}
      aside={
        <>
          <span className="mono">{shortSha(probe.sha)}</span> {probe.title}
        </>
      }
      controls={
        <span className={classes.verdict}>
          <VerdictMark verdict={probe.verdict ?? 'probing'} />
          {probe.verdict && probe.verdict !== 'probing'
            ? VERDICTS[probe.verdict]
            : `${PHASES[probe.state]}, ${counted.length} of ${countOf(probe.windows_wanted, 'window')}`}
        </span>
      }
    >
      {rows.length > 0 ? (
        <EvidenceDots rows={rows} unit={evidence.unit} label={evidence.label} />
      ) : (
        <EmptyState>
          {counted.some(({ verdict }) => verdict !== null)
            ? 'The measuring command judged by itself; it left no numbers.'
            : isOver(probe) || probe.state === 'done'
              ? 'No window of it told a number.'
              : 'What the windows measure will stand here.'}
        </EmptyState>
      )}
      <div className={classes.odds}>
        {probe.odds !== null && <b>{oddsText(probe.odds)}</b>}
        <span className="muted">{PURPOSES[probe.purpose]}</span>
        <span className="muted">{ends(PHASES[probe.state], probe.reason)}</span>
        {Object.entries(probe.overrides).map(([module, at]) => (
          <span key={module} className="muted">
            with {lastOf(module)}{' '}
            <span className="mono">{at.length === 40 ? shortSha(at) : at}</span>
          </span>
        ))}
        {probe.ended_at && (
          <span className="muted">
            ended <Time at={probe.ended_at} />
          </span>
        )}
        <LiveOnly>
          {mayWrite && (
            <ProbeActs bisect={bisect} probe={probe} onOpenComparison={onOpenComparison} />
          )}
        </LiveOnly>
      </div>
      <Would probe={probe} />
      <Requests probe={probe} />
      <Problems probe={probe} />
      {probe.log_tail.trim() !== '' && (
        <details className={classes.folded}>
          <summary>What its commands said last</summary>
          <pre className={classes.log} tabIndex={0} aria-label="The end of the log">
            {probe.log_tail}
          </pre>
        </details>
      )}
    </Section>
  );
}

/** Of how many requests latency was read, where the board told it. */
function Requests({ probe }: { probe: Probe }) {
  const read = probe.windows.flatMap(({ value, requests }) =>
    value === null || requests === null ? [] : [countText(requests)],
  );
  if (read.length === 0) return null;
  return (
    <p className="muted">
      Read of {read.join(', ')} requests that its instances answered in{' '}
      {read.length === 1 ? 'the window' : 'each window'}.
    </p>
  );
}

function Problems({ probe }: { probe: Probe }) {
  const problems = probe.windows.filter(({ problem }) => problem !== null);
  return problems.map(({ index, problem }) => (
    <p key={index} className="muted">
      Window {index + 1}: {problem}
    </p>
  ));
}

type ActsProps = { bisect: Bisect; probe: Probe; onOpenComparison: (id: string) => void };

function ProbeActs({ bisect, probe, onOpenComparison }: ActsProps): ReactNode {
  const [annulling, setAnnulling] = useState(false);
  const files = artifactsOf(bisect, probe.number);
  const compare = useMutation({
    mutationFn: () =>
      compareProbe(
        `Bisect ${bisect.number}, probe ${probe.number} against the good side`,
        files.good.slice(0, 200),
        files.probe.slice(0, 200),
      ),
    onSuccess: ({ id }) => {
      onOpenComparison(id);
    },
  });
  return (
    <>
      {files.good.length > 0 && files.probe.length > 0 && (
        <button
          type="button"
          className="link"
          disabled={compare.isPending}
          onClick={() => {
            compare.mutate();
          }}
        >
          Diff against control
        </button>
      )}
      {isOpen(bisect) && probe.state !== 'annulled' && (
        <button
          type="button"
          className="link"
          onClick={() => {
            setAnnulling(true);
          }}
        >
          Does not count
        </button>
      )}
      {compare.error && <ErrorState compact what="It was not compared" error={compare.error} />}
      {annulling && (
        <FormDialog
          title={`Probe ${probe.number} does not count`}
          onClose={() => {
            setAnnulling(false);
          }}
        >
          <Annul
            bisect={bisect}
            probe={probe}
            onClose={() => {
              setAnnulling(false);
            }}
          />
        </FormDialog>
      )}
    </>
  );
}

function Annul({ bisect, probe, onClose }: { bisect: Bisect; probe: Probe; onClose: () => void }) {
  const client = useQueryClient();
  const [reason, setReason] = useState('');
  const keep = useMutation({
    mutationFn: () => annulProbe(bisect.id, probe.number, reason.trim()),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ['bisect'] }),
  });
  return (
    <FormBody
      what="It still counts"
      submit="Leave it out"
      keep={keep}
      blocked={reason.trim() === '' ? 'Say why' : undefined}
      onCancel={onClose}
    >
      <p>
        What it measured stays on record and is no longer counted; what is believed is computed
        anew. If it still runs it is taken down.
      </p>
      <TextInput
        label="Why"
        placeholder="a bad node, an incident"
        maxLength={1000}
        data-autofocus
        value={reason}
        onChange={(event) => {
          setReason(event.currentTarget.value);
        }}
      />
    </FormBody>
  );
}
