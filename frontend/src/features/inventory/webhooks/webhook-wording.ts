/** Texts of webhooks and their deliveries. */
import type { Hook, HookDelivery } from '../../../api';
import { countOf, type Glyph } from '../../../ui';

export const KINDS: Record<Hook['kind'], string> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  bitbucket: 'Bitbucket',
};

/** Where to enter the URL and the secret at the code host, and which events to select. */
export const SETUP: Record<Hook['kind'], string> = {
  github:
    'In the repository: Settings, Webhooks, Add webhook. Content type application/json; events: pushes, deployment statuses, workflow runs.',
  gitlab:
    'In the project: Settings, Webhooks, Add new webhook. The secret is the secret token, or the signing token; triggers: push, pipeline and deployment events.',
  bitbucket:
    'In the repository: Repository settings, Webhooks, Add webhook. Triggers: push, and created, updated, approved, changes request created, merged, declined and comment created of pull requests.',
};

/**
 * The API and the permissions of the token for the reconciliation of missed deliveries. Bitbucket
 * lists no deliveries.
 */
export const RECONCILIATION_STATES: Partial<Record<Hook['kind'], { api: string; token: string }>> =
  {
    github: {
      api: 'https://api.github.com',
      token:
        "Needed to check GitHub hourly for missed deliveries: read and write access to the repository's webhooks",
    },
    gitlab: {
      api: 'https://gitlab.com/api/v4',
      token: 'Needed to check GitLab hourly for missed deliveries: scope api, role Maintainer',
    },
  };

export const DELIVERY_STATES: Record<HookDelivery['state'], [Glyph, string]> = {
  waiting: ['waiting', 'waiting'],
  done: ['done', 'done'],
  ignored: ['ended', 'ignored'],
  failed: ['failed', 'failed'],
};

export function aboutText({ service_ids, repository_id }: Hook): string {
  if (service_ids.length > 0) return `for ${countOf(service_ids.length, 'service')}`;
  return repository_id ? 'for services built from its repository' : 'for services matched by name';
}
