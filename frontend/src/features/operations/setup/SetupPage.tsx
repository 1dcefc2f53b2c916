/** The first page of a team without data: what Slowpath does, and steps that are marked as done when data arrives. */
import { Button, Progress } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { TokenScope } from '../../../api';
import { servicesQuery } from '../../inventory/catalog';
import { useCliCommand } from '../../platform/cli';
import {
  CodeBlock,
  ErrorState,
  HelpLink,
  PageHeader,
  StateIcon,
  Timestamp,
  useTitle,
} from '../../../ui';
import { ExampleChoice, type ExampleChoiceProps } from './ExampleChoice';
import classes from './Setup.module.css';
import { exampleQuery, withoutExample } from './example-data';
import { SETUP_STEPS, type SetupStep } from './setup-lines';
import type { Received } from './setup-state';
import { stepQuery } from './setup-steps';
import { useSkippedSteps } from './skipped-steps';

const NEW_SERVICE = 'my-service';
/** The interval of polling: own data may arrive beside the example data while the page is open. */
const EXAMPLE_EVERY_MS = 2_000;

export type SetupPageProps = {
  /** The ID of the team. */
  team: string;
  mayWrite: boolean;
  /** A link to the settings of tokens or of notification channels. */
  settingsLink: (
    tab: 'tokens' | 'notifications',
    words: ReactNode,
    scope?: TokenScope,
  ) => ReactNode;
  skipLink: ReactNode;
  example: ExampleChoiceProps;
};

/** Returns what each step received, without the example data; undefined while that is loading. */
function useReceived() {
  const example = useQuery({ ...exampleQuery, refetchInterval: EXAMPLE_EVERY_MS });
  const states = useQueries({ queries: SETUP_STEPS.map(({ id }) => stepQuery(id)) });
  const received = SETUP_STEPS.map(
    ({ id }, i) => example.data && withoutExample(id, states[i]?.data, example.data),
  );
  return { received, error: example.error ?? states.find((state) => state.error)?.error };
}

export default function SetupPage(props: SetupPageProps) {
  const { team, mayWrite, settingsLink, skipLink, example } = props;
  useTitle('Set up');
  const services = useQuery(servicesQuery);
  const own = services.data?.items.find(({ is_example }) => !is_example);
  const { skipped, set, error: refused } = useSkippedSteps(team);
  const { received, error } = useReceived();
  const done = received.filter(Boolean).length;
  const current = SETUP_STEPS.findIndex(
    ({ id }, i) => skipped && !skipped.has(id) && received[i] === null,
  );
  return (
    <>
      <PageHeader
        title="Find the build, the commit and the function that made a Go service slower"
        sub="Look around in example data, or connect your first service: about 5 minutes to the first panel."
        actions={skipLink}
      />
      <ExampleChoice {...example} />
      <section aria-label="Set up my service" className={classes.steps}>
        <div className={classes.progress}>
          <h2>Set up my service</h2>
          <span className="muted">
            {done} of {SETUP_STEPS.length} done
          </span>
          <Progress
            value={(100 * done) / SETUP_STEPS.length}
            aria-label="Steps done"
            className={classes.bar}
          />
        </div>
        <p className="t2">Each step is marked as done when its data arrives.</p>
        {error && <ErrorState error={error} what="Could not load the state of a step" compact />}
        {refused && <ErrorState error={refused} what="Could not skip the step" compact />}
        {SETUP_STEPS.map((step, i) => (
          <Step
            key={step.id}
            step={step}
            received={received[i]}
            isCurrent={i === current}
            isSkipped={skipped?.has(step.id) ?? false}
            onSkip={mayWrite ? (isSkipped) => set(step.id, isSkipped) : undefined}
          >
            <Lines step={step} service={own?.slug ?? NEW_SERVICE} settingsLink={settingsLink} />
          </Step>
        ))}
      </section>
    </>
  );
}

type StepProps = {
  step: SetupStep;
  /** Undefined while it is loading. */
  received: Received | undefined;
  isCurrent: boolean;
  isSkipped: boolean;
  /** Undefined if the user may not change which steps the team skips. */
  onSkip: ((isSkipped: boolean) => void) | undefined;
  children: ReactNode;
};

function Step({ step, received, isCurrent, isSkipped, onSkip, children }: StepProps) {
  return (
    <details open={isCurrent} className={isCurrent ? classes.current : classes.step}>
      <summary>
        <span className={classes.name}>
          <StateIcon glyph={received ? 'done' : isCurrent ? 'running' : 'waiting'}>
            {step.title}
          </StateIcon>
        </span>
        <span className="muted" role={isCurrent ? 'status' : undefined}>
          {received ? (
            <>
              <span className="mono">{received.words}</span>
              {received.at && (
                <>
                  , <Timestamp at={received.at} />
                </>
              )}
            </>
          ) : isSkipped ? (
            'skipped'
          ) : isCurrent ? (
            'waiting'
          ) : (
            ''
          )}
        </span>
      </summary>
      <p className="t2">{step.purpose}</p>
      {children}
      {onSkip && isCurrent && (
        <Button onClick={() => onSkip(true)} aria-label={`Skip: ${step.title}`}>
          Skip
        </Button>
      )}
      {onSkip && isSkipped && !received && (
        <Button onClick={() => onSkip(false)} aria-label={`Do not skip: ${step.title}`}>
          Do not skip
        </Button>
      )}
    </details>
  );
}

type LinesProps = Pick<SetupPageProps, 'settingsLink'> & { step: SetupStep; service: string };

function Lines({ step, service, settingsLink }: LinesProps) {
  const cli = useCliCommand();
  const text = step.lines({ origin: window.location.origin, service, cli }).join('\n');
  return (
    <>
      {text !== '' && (
        <CodeBlock text={text}>
          <code>{text}</code>
        </CodeBlock>
      )}
      <p className={classes.links}>
        {step.scope
          ? settingsLink('tokens', `Create a token with the scope ${step.scope}`, step.scope)
          : settingsLink('notifications', 'Add a channel')}
        <HelpLink topic={step.help} />
      </p>
    </>
  );
}
