/**
 * The budgets of a service: the limits, the measured values, and the states that follow from them.
 */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import { makeConnectionLostError, type Budget, type BudgetEvaluation } from '../../../api';
import {
  DeleteResource,
  EmptyState,
  ErrorState,
  FormDialog,
  HelpLink,
  Section,
  SkeletonRows,
  StateIcon,
  Timestamp,
} from '../../../ui';
import { BudgetForm } from './BudgetForm';
import { budgetsQuery, deleteBudget, environmentNamesQuery } from './budget-queries';
import { STATES, budgetName, limitText, placeText, signalText } from './budget-wording';
import classes from './budgets.module.css';

export type ServiceBudgetsProps = {
  serviceId: string;
  mayWrite: boolean;
  buildLink: (buildId: string, words: ReactNode) => ReactNode;
};

/**
 * The open dialog: the form for a new budget (`new`) or the limit of one, or the confirmation of a
 * deletion.
 */
type Open = { form: Budget | 'new' } | { remove: Budget } | null;

export default function ServiceBudgets(props: ServiceBudgetsProps) {
  const { serviceId, mayWrite } = props;
  const budgets = useQuery(budgetsQuery(serviceId));
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const failed = makeConnectionLostError(budgets);
  const items = budgets.data?.items ?? [];
  return (
    <Section
      title="Budgets"
      aside={<HelpLink topic="budgets" />}
      controls={mayWrite && <Button onClick={() => setOpen({ form: 'new' })}>Set a budget</Button>}
    >
      {failed && (
        <ErrorState
          what="Could not load the budgets"
          error={failed}
          action={<Button onClick={() => void budgets.refetch()}>Try again</Button>}
        />
      )}
      {budgets.isPending && !failed && <SkeletonRows rows={2} label="Loading the budgets" />}
      {budgets.data && items.length === 0 && (
        <EmptyState>
          A budget limits latency or CPU per request, such as p99 at most 300 ms. You are notified
          when it is exceeded.
        </EmptyState>
      )}
      {items.length > 0 && (
        <ul className={classes.list}>
          {items.map((budget) => (
            <BudgetRow
              key={budget.id}
              {...props}
              budget={budget}
              onChange={() => setOpen({ form: budget })}
              onRemove={() => setOpen({ remove: budget })}
            />
          ))}
        </ul>
      )}
      <BudgetDialogs serviceId={serviceId} open={open} onClose={close} />
    </Section>
  );
}

type DialogsProps = { serviceId: string; open: Open; onClose: () => void };

function BudgetDialogs({ serviceId, open, onClose }: DialogsProps) {
  if (!open) return null;
  if ('remove' in open)
    return (
      <DeleteResource
        act="Remove"
        noun="budget"
        name={budgetName(open.remove)}
        failed="Could not remove the budget"
        request={() => deleteBudget(open.remove.id)}
        stale={['budget']}
        onClose={onClose}
      >
        It is not evaluated any more. Production events that it opened stay.
      </DeleteResource>
    );
  const budget = open.form === 'new' ? null : open.form;
  return (
    <FormDialog title={budget ? `Change ${budgetName(budget)}` : 'Set a budget'} onClose={onClose}>
      <BudgetForm serviceId={serviceId} budget={budget} onClose={onClose} />
    </FormDialog>
  );
}

type RowProps = ServiceBudgetsProps & {
  budget: Budget;
  onChange: () => void;
  onRemove: () => void;
};

function BudgetRow({ budget, mayWrite, buildLink, onChange, onRemove }: RowProps) {
  const environments = useQuery(environmentNamesQuery);
  const names = useMemo(
    () => new Map(environments.data?.items.map(({ id, name }) => [id, name])),
    [environments.data],
  );
  const name = budgetName(budget);
  return (
    <li className={classes.budget}>
      <div className={classes.head}>
        <b>{signalText(budget)}</b>
        <span>{limitText(budget)}</span>
        <span className="muted">{placeText(budget, names)}</span>
        <span className="grow" />
        {mayWrite && (
          <>
            <button
              type="button"
              className="link"
              aria-label={`Change the limit: ${name}`}
              onClick={onChange}
            >
              Change
            </button>
            <button
              type="button"
              className="link"
              aria-label={`Remove: ${name}`}
              onClick={onRemove}
            >
              Remove
            </button>
          </>
        )}
      </div>
      {budget.evaluations.length === 0 && (
        <p className="muted">Not evaluated yet: it is as soon as new samples arrive.</p>
      )}
      {budget.evaluations.map((each) => (
        <EvaluationLine
          key={each.environment_id ?? ''}
          evaluation={each}
          environment={
            budget.environment_id === null && each.environment_id !== null
              ? (names.get(each.environment_id) ?? null)
              : null
          }
          buildLink={buildLink}
        />
      ))}
    </li>
  );
}

type LineProps = {
  evaluation: BudgetEvaluation;
  /** Shown if several environments are evaluated. */
  environment: string | null;
  buildLink: ServiceBudgetsProps['buildLink'];
};

function EvaluationLine({ evaluation, environment, buildLink }: LineProps) {
  const [glyph, word] = STATES[evaluation.state];
  return (
    <div className={classes.evaluation} data-state={evaluation.state}>
      <StateIcon glyph={glyph}>{word}</StateIcon>
      {environment && <span className={classes.environment}>{environment}</span>}
      <span className={classes.sentence}>
        {evaluation.sentence}{' '}
        {evaluation.build_id !== null && buildLink(evaluation.build_id, 'Open the build')}
      </span>
      <Timestamp at={evaluation.evaluated_at} />
    </div>
  );
}
