/** What the page that starts a bisect is given. */
import type { ReactNode } from 'react';
import type { NamedRepository, NamedService } from './RangeRepositories';
import type { RunnerTeam } from '../runners/RunnerCommand';
import type { Subject } from '../shared/bisect-queries';

export type StartBisectPageProps = {
  /** What it begins from; null: a service is chosen on the page. */
  subject: Subject | null;
  team: RunnerTeam;
  services: NamedService[];
  repositories: NamedRepository[];
  back: ReactNode;
  onStarted: (id: string) => void;
  /** To the bisects that a regression has already. */
  link: (id: string, words: ReactNode) => ReactNode;
  /** To where repositories are set up. */
  integrations: (words: ReactNode) => ReactNode;
};
