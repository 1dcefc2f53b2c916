/** Every probe over time, and the measurements of the selected one beside the others. */
import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Bisect, Probe } from '../../../../api';
import {
  ChartPicture,
  MeasurementDots,
  ProbeTimeline,
  VerdictIcon,
  type MeasurementRow,
} from '../../../../charts';
import {
  EmptyState,
  ErrorState,
  FormBody,
  FormDialog,
  HiddenInSnapshot,
  Section,
  Timestamp,
  countOf,
  countText,
  useReferenceTime,
  onText,
} from '../../../../ui';
import { Term } from '../../../../ui/Terms';
import { shortCommit } from '../../../../lib/commits';
import { PosteriorPreview } from './PosteriorPreview';
import classes from '../shared/bisects.module.css';
import { invalidateProbe, artifactsOf, compareProbe } from '../shared/bisect-queries';
import {
  PHASES,
  PURPOSES,
  VERDICTS,
  phaseText,
  isOpen,
  lastOf,
  oddsText,
  oddsWords,
  probeText,
} from '../shared/bisect-wording';
import { DEFAULT_SETTINGS } from '../shared/bisect-settings';

type Props = {
  bisect: Bisect;
  mayWrite: boolean;
  onOpenComparison: (id: string) => void;
};

const MARKED = 'override';
const KNOWN = 'baseline';

export function Probes(props: Props) {
  const { bisect } = props;
  const moment = useReferenceTime();
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
        aside={`${countOf(bisect.settings.slots ?? 1, 'slot')}${control ? ', the good build as control in every round' : ''} · the first part of each bar is deployment and warm-up`}
      >
        {lanes.some(({ slot }) => slot !== null) && (
          <ChartPicture name="probes">
            <ProbeTimeline
              probes={lanes.map((one) => ({
                number: one.number,
                slot: one.slot,
                isControl: one.purpose === 'control',
                began: Date.parse(one.leased_at ?? one.queued_at),
                ready: one.ready_at ? Date.parse(one.ready_at) : null,
                ended: one.ended_at
                  ? Date.parse(one.ended_at)
                  : isOver(one)
                    ? Date.parse(one.ready_at ?? one.queued_at)
                    : null,
                verdict: one.verdict ?? 'measuring',
                description: probeText(one),
              }))}
              now={moment.getTime()}
              chosen={probe?.number ?? null}
              onChoose={setChosen}
            />
          </ChartPicture>
        )}
        <WaitingProbe bisect={bisect} />
        <InProduction bisect={bisect} onChoose={setChosen} />
      </Section>
      {probe && <Evidence key={probe.number} {...props} probe={probe} />}
    </div>
  );
}

/** Shows the measurements of both ends from before the bisect. */
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
    <p className={classes.baselines}>
      <span className="muted">{PURPOSES.baseline}</span>
      {known.map((one) => (
        <button
          key={one.number}
          type="button"
          className="link"
          onClick={() => onChoose(one.number)}
        >
          {one.title}, {countOf(one.measurements.length, 'window')}
          {one.state === 'invalidated' && ', invalidated'}
        </button>
      ))}
    </p>
  );
}

const isOver = ({ state }: Probe): boolean => state === 'lost' || state === 'invalidated';

function WaitingProbe({ bisect }: { bisect: Bisect }) {
  const asked = bisect.probes.filter(({ state }) => state === 'queued');
  const runners = [...new Set(bisect.probes.flatMap(({ runner }) => runner ?? []))];
  const parts = [
    bisect.cost.rounds > 0 ? `round ${bisect.cost.rounds}` : '',
    asked.length > 0 && isOpen(bisect) ? `${countOf(asked.length, 'deployment')} requested` : '',
    runners.length > 0 ? `by ${runners.join(', ')}` : '',
  ];
  return <p className="muted">{parts.filter((part) => part !== '').join(' · ')}</p>;
}

function Evidence({ bisect, probe, mayWrite, onOpenComparison }: Props & { probe: Probe }) {
  const { evidence } = bisect;
  const values = probe.measurements.flatMap(({ value, invalidated: annulled }) =>
    value === null || annulled ? [] : [value],
  );
  const rows: MeasurementRow[] = [
    { name: `good, ${evidence.good.length}`, values: evidence.good, tone: 'less' as const },
    { name: `bad, ${evidence.bad.length}`, values: evidence.bad, tone: 'more' as const },
    {
      name: `control, ${evidence.control.length}`,
      values: evidence.control,
      tone: 'quiet' as const,
    },
    {
      name: `known good, ${evidence.baseline_good.length}`,
      values: evidence.baseline_good,
      tone: 'less' as const,
    },
    {
      name: `known bad, ${evidence.baseline_bad.length}`,
      values: evidence.baseline_bad,
      tone: 'more' as const,
    },
    { name: `probe ${probe.number}, ${values.length}`, values, tone: 'accent' as const },
  ].filter((row) => row.values.length > 0);
  const { max_measurements_per_probe = DEFAULT_SETTINGS.max_measurements_per_probe } =
    bisect.settings;
  const most = Math.max(max_measurements_per_probe ?? 1, probe.measurements_requested);
  const counted = probe.measurements.filter(({ invalidated: annulled }) => !annulled);
  return (
    <Section
      title={`Measurements of probe ${probe.number}`}
      aside={
        <>
          <span className="mono">{shortCommit(probe.sha)}</span> {probe.title}
        </>
      }
      controls={
        <span className={classes.verdict}>
          <VerdictIcon verdict={probe.verdict ?? 'measuring'} />
          {probe.verdict && probe.verdict !== 'measuring'
            ? VERDICTS[probe.verdict]
            : `${PHASES[probe.state]}, ${counted.length} of at most ${countOf(most, 'measurement')}`}
        </span>
      }
    >
      {rows.length > 0 ? (
        <ChartPicture name={`measurements of ${evidence.label}`}>
          <MeasurementDots rows={rows} unit={evidence.unit} label={evidence.label} />
        </ChartPicture>
      ) : (
        <EmptyState>
          {counted.some(({ verdict }) => verdict !== null)
            ? 'The measuring command returned a verdict without values.'
            : isOver(probe) || probe.state === 'done'
              ? 'No measurement has a value.'
              : 'No measurements yet.'}
        </EmptyState>
      )}
      <div className={classes.odds}>
        {probe.odds !== null && (
          <Term name="posterior probability" detail={oddsText(probe.odds)}>
            {oddsWords(probe.odds)}
          </Term>
        )}
        <span className="muted">{PURPOSES[probe.purpose]}</span>
        <span className="muted">{phaseText(PHASES[probe.state], probe.reason)}</span>
        {Object.entries(probe.overrides).map(([module, at]) => (
          <span key={module} className="muted">
            with {lastOf(module)}{' '}
            <span className="mono">{at.length === 40 ? shortCommit(at) : at}</span>
          </span>
        ))}
        {probe.ended_at && (
          <span className="muted">
            ended <Timestamp at={probe.ended_at} />
          </span>
        )}
        <HiddenInSnapshot>
          {mayWrite && (
            <ProbeActs bisect={bisect} probe={probe} onOpenComparison={onOpenComparison} />
          )}
        </HiddenInSnapshot>
      </div>
      <PosteriorPreview probe={probe} />
      <Requests probe={probe} />
      <Problems probe={probe} />
      {probe.log_tail.trim() !== '' && (
        <details className={classes.folded}>
          <summary>Last log lines</summary>
          <pre className={classes.log} tabIndex={0} aria-label="End of the log">
            {probe.log_tail}
          </pre>
        </details>
      )}
    </Section>
  );
}

/** Shows the number of requests behind the latency, if the dashboard has it. */
function Requests({ probe }: { probe: Probe }) {
  const read = probe.measurements.flatMap(({ value, requests }) =>
    value === null || requests === null ? [] : [countText(requests)],
  );
  if (read.length === 0) return null;
  return (
    <p className="muted">
      Measured from {read.join(', ')} requests answered by its instances in{' '}
      {read.length === 1 ? 'the measurement window' : 'each measurement window'}.
    </p>
  );
}

function Problems({ probe }: { probe: Probe }) {
  const problems = probe.measurements.filter(({ problem }) => problem !== null);
  return problems.map(({ index, problem }) => (
    <p key={index} className="muted">
      Measurement {index + 1}: {problem}
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
    onSuccess: ({ id }) => onOpenComparison(id),
  });
  return (
    <>
      {files.good.length > 0 && files.probe.length > 0 && (
        <button
          type="button"
          className="link"
          disabled={compare.isPending}
          onClick={() => compare.mutate()}
        >
          Diff against control
        </button>
      )}
      {isOpen(bisect) && probe.state !== 'invalidated' && (
        <button type="button" className="link" onClick={() => setAnnulling(true)}>
          Invalidate
        </button>
      )}
      {compare.error && <ErrorState compact what="Could not compare" error={compare.error} />}
      {annulling && (
        <FormDialog title={`Invalidate probe ${probe.number}`} onClose={() => setAnnulling(false)}>
          <InvalidateProbe bisect={bisect} probe={probe} onClose={() => setAnnulling(false)} />
        </FormDialog>
      )}
    </>
  );
}

function InvalidateProbe({
  bisect,
  probe,
  onClose,
}: {
  bisect: Bisect;
  probe: Probe;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const [reason, setReason] = useState('');
  const save = useMutation({
    mutationFn: () => invalidateProbe(bisect.id, probe.number, reason.trim()),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ['bisect'] }),
  });
  return (
    <FormBody
      what="Could not invalidate the probe"
      submit="Invalidate probe"
      save={save}
      blocked={reason.trim() === '' ? 'Enter a reason' : undefined}
      onCancel={onClose}
    >
      <p>
        Its measurements stay on record but are ignored, and the probabilities are recomputed. If it
        is still running it is removed.
      </p>
      <TextInput
        label="Reason"
        placeholder="a bad node, an incident"
        maxLength={1000}
        data-autofocus
        value={reason}
        onChange={onText(setReason)}
      />
    </FormBody>
  );
}
