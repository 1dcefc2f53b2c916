/**
 * Configures the generated client with the only function that calls `fetch`. It adds the team to
 * each request, and turns each failure into a `Problem`, so that no feature reads status codes.
 */
import type { Problem as ProblemDetails } from './generated/types.gen';
import { recordRequest, findRecordedResponse } from './snapshot-requests';
import { client } from './generated/client.gen';

const API = '/api/v1';

/** The members of an error response (RFC 9457), with the numbers of a limit and the resolution. */
export type { ProblemDetails };

/**
 * An error with a message for users. `name` is the slug: `not-found`, `too-large`, `offline`, ...
 */
export class Problem extends Error {
  declare protected readonly brand: true; // else any object of this shape would be one
  readonly facts: ProblemDetails;
  readonly slug: string;

  constructor(facts: ProblemDetails) {
    super(facts.detail || facts.title);
    this.name = 'Problem';
    this.facts = facts;
    this.slug = facts.type.replace(/^urn:slowpath:/, '');
  }

  get status(): number {
    return this.facts.status;
  }
}

export const offline = (): Problem =>
  new Problem({
    type: 'urn:slowpath:offline',
    title: 'The server is not responding',
    status: 0,
    detail: 'The request did not reach Slowpath.',
    resolution: 'Check your connection and that the server is running, then try again.',
  });

/**
 * Returns the error of a request that a snapshot does not contain, and of every change in a
 * snapshot.
 */
export const makeNotInSnapshotProblem = (): Problem =>
  new Problem({
    type: 'urn:slowpath:not-recorded',
    title: 'Not included in this report',
    status: 410,
    detail: 'A snapshot contains only the data that was visible when it was created.',
  });

/**
 * Parses the body of a failed response; creates a problem if the body is not a problem document (a
 * proxy's page).
 */
export function parseProblem(status: number, body: string): Problem {
  try {
    const problem = JSON.parse(body) as Partial<ProblemDetails> | null;
    if (problem && typeof problem.title === 'string') {
      return new Problem({
        ...problem,
        type: problem.type ?? 'about:blank',
        title: problem.title,
        detail: problem.detail ?? '',
        status,
      });
    }
  } catch {
    // not JSON: reported below
  }
  return new Problem({
    type: `urn:slowpath:http-${status}`,
    title: 'Unexpected response from the server',
    status,
    detail: `The server answered with status ${status} and no explanation.`,
    resolution: 'Try again. A proxy between this page and Slowpath may have answered instead.',
  });
}

let currentTeam: string | null = null;

/** Sets the team (its slug) of all later requests. */
export function setCurrentTeam(team: string | null): void {
  currentTeam = team;
}

/** Returns the slug of the team of requests; null outside of a team. */
export function getCurrentTeam(): string | null {
  return currentTeam;
}

export type Query = Record<string, string | number | boolean | null | undefined>;

export function address(path: string, query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined) params.set(name, String(value));
  }
  const tail = params.toString();
  return `${API}${path}${tail ? `?${tail}` : ''}`;
}

/**
 * Returns a URL that the browser opens itself (a download, an event stream), where no header can be
 * set.
 */
export function openUrl(path: string, query: Query = {}): string {
  return address(path, { ...query, team: currentTeam });
}

let confirmSignIn = (): Promise<boolean> => Promise.resolve(false);
let confirming: Promise<boolean> | undefined;

/**
 * Sets the function that asks users to confirm a sign-in that is too old for a change; it resolves
 * to whether they did.
 */
export function setSignInConfirmation(confirm: () => Promise<boolean>): void {
  confirmSignIn = confirm;
}

async function send(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    if (request.signal.aborted || (error instanceof DOMException && error.name === 'AbortError'))
      throw error;
    throw offline();
  }
}

async function ask(input: RequestInfo | URL): Promise<Response> {
  const recorded = input instanceof Request ? findRecordedResponse(input) : null;
  if (recorded === 'missing') throw makeNotInSnapshotProblem();
  if (recorded !== null) return heard(recorded);
  const request = new Request(input);
  if (currentTeam) request.headers.set('Slowpath-Team', currentTeam);
  const again = request.method === 'GET' ? null : request.clone(); // a body can be read only once
  try {
    return await heard(await send(request));
  } catch (error) {
    if (!again || !(error instanceof Problem) || error.slug !== 'sign-in-too-old') throw error;
    confirming ??= confirmSignIn().finally(() => (confirming = undefined)); // one dialog for all
    if (!(await confirming)) throw error;
    return heard(await send(again));
  }
}

async function heard(response: Response): Promise<Response> {
  if (!response.ok) throw parseProblem(response.status, await response.text());
  return response;
}

// A page that was opened as a file has no origin; its responses come from the snapshot.
const origin = window.location.protocol.startsWith('http')
  ? window.location.origin
  : 'http://recorded.invalid';
client.setConfig({ baseUrl: origin, fetch: ask });
client.interceptors.request.use((request, { signal }) => {
  recordRequest(request, signal);
  return request;
});

/**
 * For binary responses. The browser has already decoded the content encoding; a response without a
 * body is an empty buffer.
 */
export const asBytes = { parseAs: 'arrayBuffer' } as const;
