/** The actions of the fixes of checks on the page. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { BisectProposalOut, PreflightOut } from '../../../../api';
import { shortCommit } from '../../../../lib/commits';
import { RepositoryCredentialsForm } from './RepositoryCredentialsForm';
import { RepositoryUrlForm } from './RepositoryUrlForm';
import { RunnerCommand } from '../runners/RunnerCommand';
import { applyBisectAction, fetchRepository } from '../shared/bisect-queries';
import type { FixActions } from './PreflightFixes';
import type { StartBisectPageProps } from './start-page-props';
import type { ChosenEnd, StartChoice } from './start-request';

type Check = PreflightOut['checks'][number];
type Fix = Check['fixes'][number];
type Opened = { key: Check['key']; fix: Fix } | null;
type Context = Pick<StartBisectPageProps, 'team' | 'integrations'> & {
  offer: BisectProposalOut;
  choice: StartChoice;
  good: ChosenEnd | null;
  bad: ChosenEnd | null;
  onChoice: (change: Partial<StartChoice>) => void;
  /** The bisect that measures both ends. */
  measured: PreflightOut['boundary_check'];
  /** Checks the request again. */
  repeat: () => void;
};

export function useFixes(context: Context): {
  opened: { key: Check['key']; content: ReactNode } | null;
  actions: FixActions;
  openRepository: () => void;
} {
  const { good, bad, onChoice, measured, repeat } = context;
  const client = useQueryClient();
  const [opened, setOpened] = useState<Opened>(null);
  const fetch = useMutation({
    mutationFn: fetchRepository,
    onSettled: () => client.invalidateQueries({ queryKey: ['bisect', 'preflight'] }),
  });
  const measure = useMutation({
    mutationFn: (id: string) => applyBisectAction(id, 'retry'),
    onSettled: () => client.invalidateQueries({ queryKey: ['bisect', 'preflight'] }),
  });
  const onFix = (key: Check['key'], fix: Fix) => {
    switch (fix.action) {
      case 'swap-ends':
        onChoice({ good: bad, bad: good });
        break;
      case 'use-merge-base':
        onChoice({ good: { name: shortCommit(fix.value), sha: fix.value, title: '', at: null } });
        break;
      case 'fetch-repository':
        fetch.mutate(fix.value);
        break;
      case 'measure-again':
        if (measured) measure.mutate(measured.bisect_id);
        break;
      case 'run-again':
        repeat();
        break;
      case 'choose-ends':
        document.querySelector<HTMLInputElement>('input[aria-label="Good"]')?.focus();
        break;
      case 'set-main-package':
        openBuildFields();
        break;
      default:
        setOpened({ key, fix });
    }
  };
  const close = () => {
    setOpened(null);
    repeat();
  };
  const none: Fix = { action: 'add-repository', label: 'Add repository', value: '' };
  return {
    opened: opened && {
      key: opened.key,
      content: <OpenedFix {...context} fix={opened.fix} onSaved={close} />,
    },
    actions: { onFix, integrations: context.integrations },
    openRepository: () => setOpened({ key: 'repositories', fix: none }),
  };
}

function OpenedFix(props: Context & { fix: Fix; onSaved: () => void }) {
  const { fix, offer, choice, onSaved } = props;
  if (fix.action === 'start-runner')
    return <RunnerCommand team={props.team} labels={choice.settings.runner_labels ?? {}} />;
  if (fix.action === 'set-credentials')
    return <RepositoryCredentialsForm key={fix.value} repositoryId={fix.value} onSaved={onSaved} />;
  const isMissing = offer.repository === null && choice.repositoryId === null;
  return (
    <RepositoryUrlForm
      key={fix.value}
      repositoryId={fix.action === 'set-repository-url' ? fix.value : null}
      serviceId={isMissing ? (choice.serviceId ?? offer.service?.id ?? null) : null}
      suggested={fix.action === 'add-repository' ? fix.value : ''}
      onSaved={onSaved}
    />
  );
}

/** Opens the collapsed fields of the build and focuses the main package. */
function openBuildFields(): void {
  const field = document.querySelector<HTMLInputElement>('input[placeholder="./cmd/ingester"]');
  field?.closest('details')?.setAttribute('open', '');
  field?.focus();
}
