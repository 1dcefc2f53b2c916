/** The steps that set up a service, with the lines of each. */
import { calls } from '../../../api';
import type { HelpTopic } from '../../../ui';
import type { CliCommand } from '../../platform/cli';
import {
  firstStepQuery,
  makeStepQuery,
  one,
  type FirstStepId,
  type ReadStep,
  type StepId,
} from './setup-state';

export type SetupStep = {
  id: StepId;
  title: string;
  /** One line: what the data is for. */
  purpose: string;
  help: HelpTopic;
  /** The scope of the token that the lines require; null: no token. */
  scope: 'upload' | 'deploy' | 'runner' | null;
  lines: (at: StepAddress) => string[];
};

type StepAddress = { origin: string; service: string; cli: CliCommand };

const environment = (origin: string, scope: string): string[] => [
  `export SLOWPATH_URL=${origin}`,
  `export SLOWPATH_TOKEN=PASTE-A-TOKEN-WITH-THE-SCOPE-${scope.toUpperCase()}`,
];
const AUTHORIZED = 'curl -sSf -H "Authorization: Bearer $SLOWPATH_TOKEN"';
const PROFILE = "curl -sSo cpu.pprof 'http://localhost:6060/debug/pprof/profile?seconds=30'";

export const SETUP_STEPS: readonly SetupStep[] = [
  {
    id: 'upload',
    title: 'Upload a profile',
    purpose:
      'Shows where the time goes, without anything else. Dropping a file on any page works too.',
    help: 'profiles',
    scope: 'upload',
    lines: ({ origin }) => [
      ...environment(origin, 'upload'),
      PROFILE,
      `${AUTHORIZED} -T cpu.pprof "$SLOWPATH_URL/api/v1/artifacts/cpu.pprof"`,
    ],
  },
  {
    id: 'build',
    title: 'Send a build',
    purpose: 'From the second build on, each is compared with the one before it.',
    help: 'ci',
    scope: 'upload',
    lines: ({ origin, service }) => [
      ...environment(origin, 'upload'),
      PROFILE,
      `build="$SLOWPATH_URL/api/v1/builds/${service}/$(git rev-parse HEAD)"`,
      `${AUTHORIZED} -T cpu.pprof "$build/artifacts/cpu.pprof?branch=$(git branch --show-current)"`,
    ],
  },
  {
    id: 'metrics',
    title: 'Send metrics',
    purpose: 'Draws requests and latency of each service, and finds changes in them.',
    help: 'metrics',
    scope: 'upload',
    lines: ({ origin }) => [
      '# prometheus.yml',
      'remote_write:',
      `  - url: ${origin}/api/v1/metrics/write`,
      '    send_native_histograms: true',
      '    authorization: { credentials: PASTE-A-TOKEN-WITH-THE-SCOPE-UPLOAD }',
    ],
  },
  {
    id: 'deployment',
    title: 'Report a deployment',
    purpose: 'Checks each deployment against the time before it.',
    help: 'deployments',
    scope: 'deploy',
    lines: ({ origin, service }) => [
      ...environment(origin, 'deploy'),
      `${AUTHORIZED} "$SLOWPATH_URL/api/v1/deployments" --json '{"service": "${service}", "environment": "production", "commit": "'$(git rev-parse HEAD)'"}'`,
    ],
  },
  {
    id: 'runner',
    title: 'Start a runner',
    purpose: 'Deploys and measures the builds of a bisect, to find the commit.',
    help: 'runner',
    scope: 'runner',
    lines: ({ origin, cli }) => [
      ...environment(origin, 'runner'),
      ...cli.fetched,
      `${cli.word} runner --repo . --measure ./measure.sh -- ./deploy.sh`,
    ],
  },
  {
    id: 'channel',
    title: 'Add a notification channel',
    purpose: 'Sends what got slower to Slack, e-mail or a webhook.',
    help: 'channels',
    scope: null,
    lines: () => [],
  },
];

/** The newest object of the later steps. */
const READ_LATER: Record<Exclude<StepId, FirstStepId>, ReadStep> = {
  deployment: async (signal) => {
    const [found] = (await calls.deploymentsList({ query: one, signal })).items;
    return found ? { words: 'recorded', at: found.created_at } : null;
  },
  runner: async (signal) => {
    const [found] = await calls.runnersList({ signal });
    return found ? { words: found.name, at: found.seen_at } : null;
  },
  channel: async (signal) => {
    const [found] = (await calls.notificationChannelsList({ query: one, signal })).items;
    return found ? { words: found.name, at: found.created_at } : null;
  },
};

const isLater = (id: StepId): id is keyof typeof READ_LATER => id in READ_LATER;

export const stepQuery = (id: StepId) =>
  isLater(id) ? makeStepQuery(id, READ_LATER[id]) : firstStepQuery(id);
