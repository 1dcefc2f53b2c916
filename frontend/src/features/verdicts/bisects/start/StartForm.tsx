/** The form of a new bisect, shown once its proposal is loaded. */
import { Button, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { BisectProposalOut } from '../../../../api';
import { ErrorState, PageHeader, Section } from '../../../../ui';
import { CopyLink } from './CopyLink';
import { CriteriaTable } from './CriteriaTable';
import { DashboardFields } from './DashboardFields';
import { EndField } from './EndField';
import { EstimatePanel } from './EstimatePanel';
import { LimitsFields } from './LimitsFields';
import { MeasureEnds } from './MeasureEnds';
import { PreflightPanel } from './PreflightPanel';
import { RangeRepositories } from './RangeRepositories';
import RegressionBisects from './RegressionBisects';
import type { StartBisectPageProps } from './start-page-props';
import { StartSentence, startDetails } from './StartSentence';
import {
  newPreflightQuery,
  preflightQuery,
  startBisect,
  type Subject,
} from '../shared/bisect-queries';
import { validateSettings } from '../shared/bisect-settings';
import { chosenSignature, endOf, requestOf, signatureKey, type StartChoice } from './start-request';
import classes from './start.module.css';
import { useFixes } from './use-fixes';

const PAUSE_MS = 300;

type Props = Omit<StartBisectPageProps, 'subject'> & {
  subject: Subject | null;
  offer: BisectProposalOut;
  choice: StartChoice;
  onChoice: (change: Partial<StartChoice>) => void;
};

/** Returns the current checks of the request. */
function usePreflight({ subject, offer, choice }: Props) {
  const [again, setAgain] = useState(0);
  const [request] = useDebouncedValue(requestOf(subject, offer, choice), PAUSE_MS);
  const begun = useQuery(newPreflightQuery(request, again));
  const id = begun.data?.id ?? '';
  const now = useQuery({ ...preflightQuery(id), enabled: id !== '' });
  const preflight = now.data?.id === id ? now.data : begun.data;
  return { preflight, error: begun.error ?? now.error, repeat: () => setAgain(again + 1) };
}

export function StartForm(props: Props) {
  const { subject, offer, choice } = props;
  const client = useQueryClient();
  const { preflight, error, repeat } = usePreflight(props);
  const start = useMutation({
    mutationFn: () => startBisect(requestOf(subject, offer, choice)),
    onSuccess: async ({ id }) => {
      props.onStarted(id);
      await client.invalidateQueries({ queryKey: ['bisect'] });
    },
  });
  const good = endOf(offer, choice, 'good');
  const bad = endOf(offer, choice, 'bad');
  const blocked =
    validateSettings(choice.settings) ??
    preflight?.checks.find(({ blocks_start }) => blocks_start)?.title ??
    (good && bad ? undefined : 'Choose the good and the bad commit');
  const measured = preflight?.boundary_check ?? null;
  const { opened, actions, openRepository } = useFixes({ ...props, good, bad, measured, repeat });
  return (
    <>
      <PageHeader
        above={
          <>
            {props.back} <span className="muted">/ New bisect</span>
            {offer.origin && <span className="muted"> · from {offer.origin}</span>}
          </>
        }
        title={<StartSentence preflight={preflight} good={good} bad={bad} />}
        sub={startDetails(preflight, choice.settings)}
        actions={
          <>
            <CopyLink offer={offer} choice={choice} />
            <Button
              variant="filled"
              disabled={blocked !== undefined}
              title={blocked}
              loading={start.isPending}
              onClick={() => start.mutate()}
            >
              Start bisect
            </Button>
          </>
        }
      />
      {blocked && <p className={classes.blocked}>{blocked}: see Preflight.</p>}
      {start.error && <ErrorState what="Could not start the bisect" error={start.error} />}
      {subject && 'regression_id' in subject && (
        <div className={classes.blocked}>
          <RegressionBisects regression_id={subject.regression_id} link={props.link} />
        </div>
      )}
      <div className={classes.two}>
        <div>
          <RangeSections {...props} preflight={preflight} openRepository={openRepository} />
        </div>
        <div>
          {error && <ErrorState what="Could not check the request" error={error} />}
          <PreflightPanel
            preflight={preflight}
            actions={actions}
            onRepeat={repeat}
            measure={
              <MeasureEnds
                preflight={preflight}
                request={requestOf(subject, offer, choice)}
                blocked={blocked}
                link={props.link}
              />
            }
            opened={opened}
          />
          {preflight && <EstimatePanel preflight={preflight} slots={choice.settings.slots ?? 1} />}
        </div>
      </div>
    </>
  );
}

type RangeProps = Props & {
  preflight: ReturnType<typeof usePreflight>['preflight'];
  openRepository: () => void;
};

function RangeSections(props: RangeProps) {
  const { offer, choice, onChoice, services } = props;
  const repositoryId = choice.repositoryId ?? offer.repository?.id ?? null;
  const serviceId = choice.serviceId ?? offer.service?.id ?? null;
  const signature = chosenSignature(offer, choice);
  const selector = signature?.dashboard_selector;
  const field = (side: 'good' | 'bad') => (
    <EndField
      side={side}
      value={endOf(offer, choice, side)}
      repositoryId={repositoryId}
      serviceId={serviceId}
      onChoose={(end) => onChoice({ [side]: end })}
    />
  );
  return (
    <>
      <Section title="Range">
        {(offer.service === null || choice.serviceId !== null) && (
          <Select
            label="Service"
            searchable
            w={280}
            data={services.map(({ id, name }) => ({ value: id, label: name }))}
            value={choice.serviceId}
            onChange={(id) => onChoice({ serviceId: id, repositoryId: null, signature: null })}
          />
        )}
        <div className={classes.range}>
          {field('good')}
          {field('bad')}
        </div>
      </Section>
      <Section title="Repositories" aside="found from the versions in go.mod">
        <RangeRepositories
          offer={offer}
          repositories={props.repositories}
          chosen={choice.repositoryId}
          preflight={props.preflight}
          onChoose={(id) => onChoice({ repositoryId: id })}
          onAdd={props.openRepository}
        />
      </Section>
      <Section title="Criterion" aside="ranked by how well it separates good from bad">
        <CriteriaTable
          offer={offer}
          chosen={signature ? signatureKey(signature) : ''}
          onChoose={(one) => onChoice({ signature: signatureKey(one) })}
        />
        {selector && (
          <DashboardFields
            environments={offer.environments}
            value={choice.settings.dashboard_selector ?? selector}
            seconds={Math.max(
              selector.measurement_seconds ?? 0,
              choice.settings.measurement_seconds ?? 0,
            )}
            advised={selector.measurement_seconds}
            onChange={(next) =>
              onChoice({ settings: { ...choice.settings, dashboard_selector: next } })
            }
          />
        )}
      </Section>
      <Section title="Limits">
        <LimitsFields
          value={choice.settings}
          baselines={signature?.production_baselines ?? null}
          onChange={(settings) => onChoice({ settings })}
        />
      </Section>
    </>
  );
}
