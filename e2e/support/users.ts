// Users of the journeys: each journey signs up a new one through the public API, for isolation.
import { randomBytes } from 'node:crypto';

import { type APIRequestContext, type APIResponse, expect } from '@playwright/test';

export type Team = { id: string; slug: string; name: string; role: string };
export type Person = {
  email: string;
  name: string;
  password: string;
  team: Team;
};

export const api = '/api/v1';

/** Signs up a user with a new team. The cookies are in `request` and in pages of its context. */
export async function signUp(
  request: APIRequestContext,
  baseURL: string,
  name = 'Ada Example',
): Promise<Person> {
  const tag = randomBytes(6).toString('hex');
  const person = {
    email: `ada-${tag}@example.com`,
    name,
    password: `correct horse ${tag}`,
  };
  const headers = { Origin: new URL(baseURL).origin };
  await succeeded(await request.post(`${api}/sign-up`, { data: person, headers }));
  await succeeded(
    await request.post(`${api}/session`, {
      data: { email: person.email, password: person.password },
      headers,
    }),
  );
  let teams = await teamsOf(request);
  if (teams.length === 0) {
    await succeeded(
      await request.post(`${api}/teams`, {
        data: { name: `Team ${tag}` },
        headers,
      }),
    );
    teams = await teamsOf(request);
  }
  const [team] = teams;
  if (team === undefined) throw new Error('a person without a team after POST /teams');
  return { ...person, team };
}

async function teamsOf(request: APIRequestContext): Promise<Team[]> {
  const session = (await (await succeeded(await request.get(`${api}/session`))).json()) as {
    teams: Team[];
  };
  return session.teams;
}

/** Fails with the body of the response, because its status alone has no explanation. */
export async function succeeded(response: APIResponse): Promise<APIResponse> {
  expect(
    response.ok(),
    `${response.url()} answered ${response.status()}: ${await response.text()}`,
  ).toBe(true);
  return response;
}
