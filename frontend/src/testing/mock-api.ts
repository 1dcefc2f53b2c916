/**
 * The mock API of the tests: a signed-in user of one team without any data. A test replaces the
 * responses that it is about.
 */
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { aSession, noExample } from './api-factories';

export const at = (path: string): string => `*/api/v1${path}`;
export const page = (items: object[]) => HttpResponse.json({ items, next_cursor: null });

export function problem(status: number, members: Record<string, unknown>) {
  return HttpResponse.json(
    { type: 'urn:slowpath:test', title: 'Refused', detail: '', status, ...members },
    { status },
  );
}

export const server = setupServer(
  http.get(at('/session'), () => HttpResponse.json(aSession())),
  http.get('*/cli', () => HttpResponse.json({ platforms: [] })),
  http.get(at('/auth/methods'), () =>
    HttpResponse.json({
      are_passwords_enabled: true,
      sign_up: true,
      is_mail_configured: false,
      oidc: null,
      saml: null,
    }),
  ),
  http.get(at('/user/linked-identities'), () =>
    HttpResponse.json({ has_password: true, linked: [] }),
  ),
  http.get(at('/user/second-factors'), () =>
    HttpResponse.json({ factors: [], recovery_codes_left: 0 }),
  ),
  http.get(at('/teams/:team/service-accounts'), () => page([])),
  http.get(at('/teams/:team/ci-trusts'), () => HttpResponse.json([])),
  http.get(at('/jobs'), () => page([])),
  http.get(at('/comparisons'), () => page([])),
  http.get(at('/comparisons/:comparison/commits'), () =>
    HttpResponse.json({ service_id: null, base: null, candidate: null }),
  ),
  http.get(at('/comparisons/:comparison/compiler-absence'), () =>
    HttpResponse.json({
      reasons: ['No executable of the base is stored.'],
      remedy: '',
      is_changing: false,
      can_compute_again: false,
    }),
  ),
  http.get(at('/artifacts'), () => page([])),
  http.get(at('/example-data'), () => HttpResponse.json(noExample())),
  http.get(at('/services'), () => page([])),
  http.get(at('/builds'), () => page([])),
  http.get(at('/deployments'), () => page([])),
  http.get(at('/runners'), () => HttpResponse.json([])),
  http.get(at('/bisects/:bisect/experiments'), () => HttpResponse.json([])),
  http.get(at('/notification-channels'), () => page([])),
  http.get(at('/metrics/settings'), () =>
    HttpResponse.json({ retention_days: 30, series: 0, max_series: 100_000 }),
  ),
  http.get(at('/metric-sources'), () => page([])),
  http.get(at('/metric-sources/:source/federated-services'), () => page([])),
  http.get(at('/environments'), () => page([])),
  http.get(at('/budgets'), () => HttpResponse.json({ items: [] })),
  http.get(at('/production-events'), () => HttpResponse.json({ items: [] })),
  http.get(at('/span-sets'), () => HttpResponse.json([])),
  http.get(at('/teams/:team/members'), () => page([])),
  http.get(at('/comments'), () => HttpResponse.json({ items: [] })),
  http.get(at('/comment-counts'), () => HttpResponse.json({ items: [] })),
  http.get(at('/inbox'), () =>
    HttpResponse.json({
      items: [],
      counts: {
        needs_action: 0,
        mine: 0,
        production: 0,
        regressions: 0,
        snoozed: 0,
        closed: 0,
        unassigned: 0,
        unread: 0,
      },
      headline: '',
      next_cursor: null,
    }),
  ),
  http.get(at('/inbox/items/:kind/:item'), () => problem(404, { detail: 'no such item' })),
  http.get(at('/services/:service/subscription'), () =>
    HttpResponse.json({ service_id: '', is_subscribed: false, subscribers: 0 }),
  ),
  http.get(at('/mention-count'), () => HttpResponse.json({ unread: 0 })),
  http.get(at('/share-settings'), () =>
    HttpResponse.json({ are_links_allowed: true, embedding_origins: [], dashboard_url: '' }),
  ),
  http.get(at('/linked-issues/:kind/:incident'), () =>
    HttpResponse.json({ state: null, number: null, url: null, problem: null, trackers: [] }),
  ),
  http.get(at('/regressions/:regression/automatic-bisect'), () =>
    HttpResponse.json({ obstacle: null }),
  ),
  http.get(at('/deleted-teams'), () => HttpResponse.json([])),
  http.get(at('/user/code-host-logins'), () => HttpResponse.json({ logins: [] })),
  http.get(at('/deployments/:deployment/people'), () =>
    HttpResponse.json({
      former_commit: '',
      commits: 0,
      complete: true,
      authors: [],
      owners: null,
      reviewers: [],
    }),
  ),
  http.get(at('/teams/:team/invitations'), () => page([])),
  http.get(at('/teams/:team/tokens'), () => page([])),
);
