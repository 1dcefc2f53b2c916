import type { ReactNode } from 'react';
import type { ProductionEvent } from '../../../api';
import { PersonName, StateIcon, Timestamp } from '../../../ui';
import classes from './events.module.css';
import {
  BUDGET_STATES,
  deploymentName,
  deploymentText,
  EVENT_KINDS,
  otherSignals,
  signalText,
} from './event-wording';

type DetailsProps = {
  event: ProductionEvent;
  serviceLink: (serviceId: string, words: string) => ReactNode;
  buildLink: (buildId: string, words: ReactNode) => ReactNode;
};

const SEVERITIES = { high: 'High', medium: 'Medium', low: 'Low' } as const;

export function EventDetails({ event, serviceLink, buildLink }: DetailsProps) {
  const { item, deployments, budgets } = event;
  const facts: [string, ReactNode][] = [
    [
      'Assignee',
      item.assignee ? (
        <PersonName name={item.assignee.name ?? 'former member'} />
      ) : (
        <span className="more">Unassigned</span>
      ),
    ],
    ['Kind', EVENT_KINDS[event.kind]],
    ['Severity', SEVERITIES[item.severity]],
    ['Service', item.service && serviceLink(item.service.id, item.service.slug)],
    ['Since', item.since_at !== null && <Timestamp exact at={item.since_at} />],
    ['Due', item.due_on],
    ['Muted', item.mute_reason],
  ];
  return (
    <section aria-label="Details">
      <h2 className={classes.asideHead}>Details</h2>
      <dl className={classes.facts}>
        {facts.map(([name, value]) =>
          value ? (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ) : null,
        )}
        {otherSignals(event).map((signal) => (
          <div key={signal.change_point_id}>
            <dt>Also in</dt>
            <dd title={signal.sentence}>{signalText(signal)}</dd>
          </div>
        ))}
        {budgets.map(({ sentence, state }) => {
          const [glyph, word] = BUDGET_STATES[state];
          return (
            <div key={sentence}>
              <dt>Budget</dt>
              <dd>
                <StateIcon glyph={glyph}>{word}</StateIcon>{' '}
                <span className="muted">{sentence}</span>
              </dd>
            </div>
          );
        })}
        {deployments.map((deployment) => (
          <div key={deployment.id}>
            <dt>Deployment</dt>
            <dd title={deployment.verdict_sentence ?? undefined}>
              <span className="mono">
                {deployment.build_id === null
                  ? deploymentName(deployment)
                  : buildLink(deployment.build_id, deploymentName(deployment))}
              </span>{' '}
              <span className="muted">{deploymentText(deployment)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
