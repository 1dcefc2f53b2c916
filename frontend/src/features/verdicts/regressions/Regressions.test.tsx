import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import type { Regression } from '../../../api';
import { at, page, problem, server } from '../../../testing/mock-api';
import { PERSON, SERVICE, aRegression } from '../../../testing/regression-fixtures';
import { show } from '../../../testing/render';
import Regressions, { type RegressionsProps } from './Regressions';
import type { RegressionsSearch } from './regression-url';

const ADDRESSES = new Map<string, RegressionsSearch>();

/** Renders the list as its page does: the filters are state of the parent, as in the URL. */
function List({ search = {}, ...props }: Partial<RegressionsProps>) {
  const [held, setHeld] = useState(search);
  ADDRESSES.set('now', held);
  return (
    <Regressions
      services={[{ id: SERVICE, name: 'shop' }]}
      people={[{ id: PERSON, name: 'Mira Kovač' }]}
      mayWrite
      link={({ id }, words) => <a href={`#${id}`}>{words}</a>}
      onOpen={() => undefined}
      {...props}
      search={held}
      onSearch={setHeld}
    />
  );
}

/** Serves the rows that `rowsOf` names for a query, and returns the queries. */
function serve(rowsOf: (asked: URLSearchParams) => Regression[]): URLSearchParams[] {
  const asked: URLSearchParams[] = [];
  server.use(
    http.get(at('/regressions'), ({ request }) => {
      const query = new URL(request.url).searchParams;
      asked.push(query);
      return page(rowsOf(query));
    }),
    http.get(at('/regression-summary'), () =>
      HttpResponse.json({
        open: 0,
        states: {},
        new_unassigned_count: 0,
        services: [],
        headline: null,
      }),
    ),
  );
  return asked;
}

/** Records the updates of several regressions; the server applies none of them. */
function recordUpdates(): unknown[] {
  const sent: unknown[] = [];
  server.use(
    http.patch(at('/regressions'), async ({ request }) => {
      sent.push(await request.json());
      return HttpResponse.json({ items: [] });
    }),
  );
  return sent;
}

const list = () => screen.findByRole('list', { name: 'Regressions' });
const rowsShown = async () => within(await list()).getAllByRole('listitem');
/** Chooses a value of the filter; a value that is already chosen is removed. */
async function chooseState(user: ReturnType<typeof show>['user'], name: string) {
  await user.click(await screen.findByRole('combobox', { name: 'State' }));
  await user.click(await screen.findByRole('option', { name, hidden: true }));
}
const choose = (name: string) => screen.findByRole('menuitem', { name, hidden: true });

describe('filters of Regressions', () => {
  it.each([
    ['open', 'state', ['new', 'investigating', 'acknowledged'], null, 'true'],
    ['closed', 'state', ['fixed', 'improved', 'not-a-regression', 'ignored'], null, 'true'],
    ['mine', 'state', ['new', 'investigating', 'acknowledged'], 'me', 'true'],
    ['candidates', 'state', [], null, 'false'],
  ])('send the query for %s regressions', async (name, field, states, assignee, confirmed) => {
    const asked = serve(() => []);
    const { user } = show(<List />);
    await chooseState(user, name);
    await waitFor(() => expect(asked).toHaveLength(2));
    expect(asked[1]?.getAll(field)).toEqual(states);
    expect(asked[1]?.get('assignee')).toBe(assignee);
    expect(asked[1]?.get('confirmed')).toBe(confirmed);
    expect(ADDRESSES.get('now')).toEqual({ show: name });
  });

  it('request all confirmed regressions without a state, and leave the URL empty', async () => {
    const asked = serve(() => [aRegression()]);
    const { user } = show(<List search={{ show: 'closed' }} />);
    await chooseState(user, 'closed');
    await waitFor(() => expect(asked).toHaveLength(2));
    expect(asked[1]?.has('state')).toBe(false);
    expect(asked[1]?.get('confirmed')).toBe('true');
    expect(ADDRESSES.get('now')).toEqual({ show: undefined });
  });

  it('combine the service with a search, and remove a cleared search from the URL', async () => {
    const asked = serve(() => []);
    const { user } = show(<List />);
    const service = await screen.findByRole('combobox', { name: 'Service' });
    await user.click(service);
    await user.click(await screen.findByRole('option', { name: 'shop', hidden: true }));
    const search = screen.getByRole('textbox', { name: 'Search regressions' });
    await user.type(search, '#7');
    await waitFor(() => expect(asked.at(-1)?.get('search')).toBe('#7'));
    expect(asked.at(-1)?.get('service_id')).toBe(SERVICE);
    await user.clear(search);
    await waitFor(() => expect(ADDRESSES.get('now')).toEqual({ service: SERVICE, q: undefined }));
  });

  it('are restored from the URL', async () => {
    const asked = serve(() => []);
    show(<List search={{ show: 'mine', service: SERVICE, q: 'Clone' }} />);
    expect(await screen.findByText('No regressions match these filters.')).toBeInTheDocument();
    expect(await screen.findByRole('combobox', { name: 'State' })).toHaveValue('mine');
    expect(await screen.findByRole('combobox', { name: 'Service' })).toHaveValue('shop');
    expect(screen.getByRole('textbox', { name: 'Search regressions' })).toHaveValue('Clone');
    expect(asked).toHaveLength(1);
    expect(asked[0]?.get('search')).toBe('Clone');
  });
});

describe('Regressions', () => {
  it('shows the error of a failed load with its resolution, and loads on "Try again"', async () => {
    serve(() => [aRegression({ title: 'Decode takes more time: +9%' })]);
    let failing = true;
    server.use(
      http.get(at('/regressions'), () =>
        failing
          ? problem(400, {
              title: 'The search is too long',
              detail: 'A search has at most 200 characters.',
              resolution: 'Search for a part of the name.',
              request_id: 'q-17',
            })
          : undefined,
      ),
    );
    const { user } = show(<List />);
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('The search is too long · A search has at most 200 characters');
    expect(alert).toHaveTextContent('Search for a part of the name.');
    expect(alert).toHaveTextContent('request q-17');
    expect(screen.queryByText(/^No regressions/)).not.toBeInTheDocument();
    failing = false;
    await user.click(within(alert).getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('link', { name: /^Decode/ })).toBeInTheDocument();
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  });

  it('announces that it is loading until the first response', async () => {
    let answer: (response: Response) => void = () => undefined;
    serve(() => []);
    server.use(
      http.get(at('/regressions'), () => new Promise<Response>((resolve) => (answer = resolve))),
    );
    show(<List />);
    expect(await screen.findByRole('status', { name: 'Loading' })).toBeInTheDocument();
    await waitFor(() => {
      answer(page([aRegression()]));
      expect(screen.queryByRole('status', { name: 'Loading' })).not.toBeInTheDocument();
    });
    expect(await rowsShown()).toHaveLength(1);
  });

  it('adds older regressions below on request, until there are no more', async () => {
    serve(() => []);
    server.use(
      http.get(at('/regressions'), ({ request }) => {
        const cursor = new URL(request.url).searchParams.get('cursor');
        return HttpResponse.json(
          cursor === null
            ? { items: [aRegression({ title: 'Newer' })], next_cursor: 'older' }
            : { items: [aRegression({ title: `After ${cursor}` })], next_cursor: null },
        );
      }),
    );
    const { user } = show(<List />);
    await user.click(await screen.findByRole('button', { name: 'Load older regressions' }));
    await screen.findByRole('link', { name: 'After older' });
    expect((await rowsShown())[0]).toHaveTextContent('Newer');
    expect(screen.queryByRole('button', { name: /^Load older/ })).not.toBeInTheDocument();
  });

  it('shows number, due date, ratio with interval, and assignee of each regression', async () => {
    serve(() => [
      aRegression({
        number: 17,
        due_on: '2026-12-01',
        ratio: 11.7,
        ratio_low: 10.1,
        ratio_high: 13.6,
        assignee: { id: PERSON, name: null },
      }),
      aRegression({ state: 'fixed', ratio: null, ratio_low: null, ratio_high: null }),
      aRegression({ ratio_low: 1.2, ratio_high: 5000 }),
    ]);
    show(<List />);
    const [first, fixed, unbounded] = await rowsShown();
    expect(first).toHaveTextContent('#17 · shop · main · due 2026-12-01');
    expect(first).toHaveTextContent('×11.7');
    expect(within(first!).getByTitle('95% interval 10.1 – 13.6')).toHaveTextContent('significant');
    expect(first).toHaveTextContent('former member');
    expect(first).not.toHaveTextContent('unassigned');
    // A closed regression needs no assignee, and one without a ratio shows no multiplication sign.
    expect(fixed).toHaveTextContent('Fixed');
    expect(fixed).not.toHaveTextContent('unassigned');
    expect(fixed).not.toHaveTextContent('×');
    expect(within(unbounded!).getByTitle('95% interval ≥ ×1.20')).toBeInTheDocument();
  });
});

describe('keyboard shortcuts of Regressions', () => {
  const three = () => [
    aRegression({ id: 'a1', title: 'One' }),
    aRegression({ id: 'a2', title: 'Two' }),
    aRegression({ id: 'a3', title: 'Three' }),
  ];

  it('move a cursor that stays within the rows, and open the row at the cursor', async () => {
    serve(three);
    const opened: string[] = [];
    const { user } = show(<List onOpen={({ id }) => opened.push(id)} />);
    const rows = await rowsShown();
    (await list()).focus();
    const current = () => rows.findIndex((row) => row.getAttribute('aria-current') === 'true');
    expect(current()).toBe(0);
    await user.keyboard('k');
    expect(current()).toBe(0);
    await user.keyboard('jjjj{Enter}');
    expect(current()).toBe(2);
    await user.keyboard('k{Enter}');
    expect(opened).toEqual(['a3', 'a2']);
  });

  it('ignore shortcuts of the browser, and Enter on a link', async () => {
    serve(three);
    const opened: string[] = [];
    const { user } = show(<List onOpen={({ id }) => opened.push(id)} />);
    const [first] = await rowsShown();
    (await list()).focus();
    await user.keyboard('{Control>}j{/Control}{Meta>}x{/Meta}');
    expect(first).toHaveAttribute('aria-current', 'true');
    expect(screen.getByText('the row at the cursor')).toBeInTheDocument();
    // Enter on a link follows the link; it does not open the row at the cursor too.
    within(first!).getByRole('link', { name: 'One' }).focus();
    await user.keyboard('{Enter}');
    expect(opened).toEqual([]);
  });

  it('apply to the row that was clicked', async () => {
    serve(three);
    const sent = recordUpdates();
    const { user } = show(<List />);
    const rows = await rowsShown();
    await user.click(within(rows[1]!).getByText(/shop · main/));
    (await list()).focus();
    await user.keyboard('s');
    await user.click(await choose('Fixed'));
    await waitFor(() => expect(sent).toEqual([{ ids: ['a2'], change: { state: 'fixed' } }]));
  });

  it('change nothing for viewers, who can still move the cursor and open a row', async () => {
    serve(three);
    const opened: string[] = [];
    const { user } = show(<List mayWrite={false} onOpen={({ id }) => opened.push(id)} />);
    const rows = await rowsShown();
    expect(within(rows[0]!).queryByRole('checkbox')).not.toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'State' })).not.toBeInTheDocument();
    (await list()).focus();
    await user.keyboard('sa');
    expect(screen.queryByRole('menu', { hidden: true })).not.toBeInTheDocument();
    await user.keyboard('j{Enter}');
    expect(opened).toEqual(['a2']);
  });
});

describe('selected regressions', () => {
  it.each([
    ['assigned', 'Mira Kovač', PERSON],
    ['unassigned', 'unassigned', null],
  ])('are named by their titles and %s together', async (_, name, assignee_id) => {
    serve(() => [
      aRegression({ id: 'a1', title: 'One' }),
      aRegression({ id: 'a2', title: 'Two' }),
      aRegression({ id: 'a3', title: 'Three' }),
    ]);
    const sent = recordUpdates();
    const { user } = show(<List />);
    await user.click(await screen.findByRole('checkbox', { name: 'Select Three' }));
    expect(screen.getByText('1 regression selected')).toBeInTheDocument();
    await user.click(screen.getByRole('checkbox', { name: 'Select One' }));
    await user.click(screen.getByRole('button', { name: 'Assign' }));
    await user.click(await choose(name));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toEqual({ ids: ['a1', 'a3'], change: { assignee_id } });
    await waitFor(() =>
      expect(screen.getByRole('checkbox', { name: 'Select One' })).not.toBeChecked(),
    );
  });

  it('stay selected after a rejected change, and cannot be changed while one is pending', async () => {
    serve(() => [aRegression({ id: 'a1', title: 'One' })]);
    let refuse: () => void = () => undefined;
    server.use(
      http.patch(
        at('/regressions'),
        () =>
          new Promise<Response>((resolve) => {
            refuse = () => resolve(problem(403, { detail: 'You may only read.' }));
          }),
      ),
    );
    const { user } = show(<List />);
    await user.click(await screen.findByRole('checkbox', { name: 'Select One' }));
    await user.click(screen.getByRole('button', { name: 'State' }));
    await user.click(await choose('Ignored'));
    await waitFor(() => expect(screen.getByRole('button', { name: 'State' })).toBeDisabled());
    expect(screen.getByRole('button', { name: 'Assign' })).toBeDisabled();
    await waitFor(() => {
      refuse();
      expect(screen.getByRole('alert')).toHaveTextContent('You may only read.');
    });
    expect(screen.getByText('1 regression selected')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'State' })).toBeEnabled();
  });

  it('exclude a regression that a filter hides', async () => {
    const [fresh, fixed] = [
      aRegression({ id: 'a1', title: 'Fresh' }),
      aRegression({ id: 'a2', title: 'Long fixed', state: 'fixed' }),
    ];
    serve((asked) => (asked.has('state') ? [fresh] : [fresh, fixed]));
    const sent = recordUpdates();
    const { user } = show(<List search={{ show: 'open' }} />);
    await screen.findByRole('checkbox', { name: 'Select Fresh' });
    await chooseState(user, 'open');
    await user.click(await screen.findByRole('checkbox', { name: 'Select Long fixed' }));
    await chooseState(user, 'open');
    await waitFor(() =>
      expect(screen.queryByRole('link', { name: 'Long fixed' })).not.toBeInTheDocument(),
    );
    expect(await screen.findByText('the row at the cursor')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'State' }));
    await user.click(await choose('Acknowledged'));
    await waitFor(() => expect(sent).toEqual([{ ids: ['a1'], change: { state: 'acknowledged' } }]));
  });
});
