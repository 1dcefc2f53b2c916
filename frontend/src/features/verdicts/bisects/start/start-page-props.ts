/** The props of the page that starts a bisect. */
import type { ReactNode } from 'react';
import type { NamedRepository, NamedService } from './RangeRepositories';
import type { RunnerTeam } from '../runners/RunnerCommand';
import type { Subject } from '../shared/bisect-queries';

export type StartBisectPageProps = {
  /** The subject of the bisect; null: the user chooses a service on the page. */
  subject: Subject | null;
  team: RunnerTeam;
  services: NamedService[];
  repositories: NamedRepository[];
  back: ReactNode;
  onStarted: (id: string) => void;
  /** A link to a bisect that the regression already has. */
  link: (id: string, words: ReactNode) => ReactNode;
  /** A link to the page on which repositories are set up. */
  integrations: (words: ReactNode) => ReactNode;
};
