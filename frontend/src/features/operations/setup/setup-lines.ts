/**
 * The steps that set up a service, with the lines that each copies. No side effects: a test runs
 * the lines against a server.
 */
import type { HelpTopic } from '../../../ui';
import { tokenPlaceholder, type TokenScope } from '../../../lib/token-placeholder';
import type { CliCommand } from '../../platform/cli';
import type { StepId } from './setup-state';

export type SetupStep = {
  id: StepId;
  title: string;
  /** One sentence: what the data is for. */
  purpose: string;
  help: HelpTopic;
  /** The scope of the token that the lines require; null if they need no token. */
  scope: TokenScope | null;
  lines: (at: StepAddress) => string[];
};

type StepAddress = { origin: string; service: string; cli: CliCommand };

const environment = (origin: string, scope: TokenScope): string[] => [
  `export SLOWPATH_URL=${origin}`,
  `export SLOWPATH_TOKEN=${tokenPlaceholder(scope)}`,
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
      `    authorization: { credentials: ${tokenPlaceholder('upload')} }`,
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
