/** The experiments on a commit: variants of it, measured beside it. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Bisect, Experiment } from '../../../../api';
import {
  ErrorState,
  FormDialog,
  HiddenInSnapshot,
  Section,
  StateIcon,
  Timestamp,
  countText,
} from '../../../../ui';
import { Terms } from '../../../../ui/Terms';
import { EffectsTable } from './EffectsTable';
import { StartExperiment } from './StartExperiment';
import { applyBisectAction } from '../shared/bisect-queries';
import classes from './experiments.module.css';
import {
  experimentsQuery,
  sourceOfBisect,
  sourceOfSubject,
  type ExperimentSource,
  type ExperimentSubject,
} from './experiment-queries';
import { EXPERIMENT_STATES } from './experiment-wording';

const MEASURED: Bisect['state'][] = ['found', 'not-in-range', 'not-separable', 'stopped'];

export function Experiments({ bisect, mayWrite }: { bisect: Bisect; mayWrite: boolean }) {
  if (!MEASURED.includes(bisect.state)) return null;
  return <ExperimentSection source={sourceOfBisect(bisect)} mayWrite={mayWrite} />;
}

export type SubjectExperimentsProps = {
  subject: ExperimentSubject;
  serviceId: string;
  mayWrite: boolean;
};

export default function SubjectExperiments(props: SubjectExperimentsProps) {
  const { subject, serviceId, mayWrite } = props;
  return <ExperimentSection source={sourceOfSubject(subject, serviceId)} mayWrite={mayWrite} />;
}

type SectionProps = { source: ExperimentSource; mayWrite: boolean };

function ExperimentSection({ source, mayWrite }: SectionProps) {
  const experiments = useQuery(experimentsQuery(source));
  const [starting, setStarting] = useState(false);
  const [newest, ...earlier] = experiments.data ?? [];
  return (
    <Section
      title={source.isOfBuild ? 'Experiments' : 'What would fix it'}
      aside={`variants of the ${source.isOfBuild ? 'build' : 'bad commit'}, measured in random order beside it`}
      controls={
        mayWrite && (
          <HiddenInSnapshot>
            <Button onClick={() => setStarting(true)}>Measure variants</Button>
          </HiddenInSnapshot>
        )
      }
    >
      {experiments.error && (
        <ErrorState compact what="Could not load the experiments" error={experiments.error} />
      )}
      {experiments.data && !newest && (
        <p className="muted">
          No variants measured yet: settings of the Go runtime
          {source.canRevert && ', the revert of the culprit'}, or a patch.
        </p>
      )}
      {newest && <Shown experiment={newest} parent={source.parent} mayWrite={mayWrite} />}
      {earlier.map((one) => (
        <details key={one.id} className={classes.earlier}>
          <summary>
            {one.variants.join(', ')}, <Timestamp at={one.created_at} />
          </summary>
          <Shown experiment={one} parent={source.parent} mayWrite={mayWrite} />
        </details>
      ))}
      {starting && (
        <FormDialog title="Measure variants" size="lg" onClose={() => setStarting(false)}>
          <StartExperiment source={source} onClose={() => setStarting(false)} />
        </FormDialog>
      )}
    </Section>
  );
}

type ShownProps = { experiment: Experiment; parent: string | null; mayWrite: boolean };

function Shown({ experiment, parent, mayWrite }: ShownProps) {
  const [glyph, word] = EXPERIMENT_STATES[experiment.state];
  const { runs, expected_runs, sentence, problem, pause_reason } = experiment;
  const isOpen = experiment.state === 'running' || experiment.state === 'paused';
  return (
    <div className={classes.experiment}>
      <p className={classes.head} role="status">
        <StateIcon glyph={glyph}>{word}</StateIcon>
        <span className="muted">
          {countText(runs)} of {countText(expected_runs)} runs
          {experiment.created_by && `, started by ${experiment.created_by}`}
        </span>
        {isOpen && mayWrite && <OpenActions experiment={experiment} />}
      </p>
      {(problem ?? pause_reason) && <p role="alert">{problem ?? pause_reason}</p>}
      {isOpen && !experiment.has_runner && (
        <p role="alert">
          No online runner of this bisect allows these variants. Add{' '}
          <code>variants = {JSON.stringify(experiment.needs)}</code> to <code>[allow]</code> of its
          configuration.
        </p>
      )}
      {!isOpen && sentence !== '' && <p>{sentence}</p>}
      {experiment.effects.length > 0 && <EffectsTable experiment={experiment} parent={parent} />}
      {experiment.effects.length > 0 && (
        <Terms names={['confidence interval', 'minimum detectable change']} />
      )}
    </div>
  );
}

function OpenActions({ experiment }: { experiment: Experiment }) {
  const client = useQueryClient();
  const move = useMutation({
    mutationFn: (to: 'cancel' | 'resume') => applyBisectAction(experiment.id, to),
    onSettled: () => client.invalidateQueries({ queryKey: ['bisect'] }),
  });
  return (
    <HiddenInSnapshot>
      {experiment.state === 'paused' && (
        <Button loading={move.isPending} onClick={() => move.mutate('resume')}>
          Resume
        </Button>
      )}
      <Button c="var(--err)" loading={move.isPending} onClick={() => move.mutate('cancel')}>
        Cancel experiment
      </Button>
      {move.error && (
        <ErrorState compact what="Could not change the experiment" error={move.error} />
      )}
    </HiddenInSnapshot>
  );
}
