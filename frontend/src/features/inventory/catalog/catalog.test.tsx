import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Build, Service } from '../../../api';
import { at, page, problem, server } from '../../../testing/mock-api';
import { SERVICE, aBuild } from '../../../testing/regression-fixtures';
import { enter, show } from '../../../testing/render';
import { ServiceDetail } from './ServiceDetail';
import { ServicesPage } from './Services';

const aService = (changed: Partial<Service> = {}): Service => ({
  id: SERVICE,
  slug: 'shop',
  name: 'shop',
  description: 'Sells things',
  main_package: 'example.com/shop/cmd/shop',
  created_at: '2026-11-01T00:00:00Z',
  ...changed,
});

const PRODUCTION = { id: 'e1', name: 'production', created_at: '2026-11-01T00:00:00Z' };

/** Records the bodies of requests with one method to a path; responds to each with `answer`. */
function record(method: 'post' | 'patch', path: string, answer: () => Response): unknown[] {
  const sent: unknown[] = [];
  server.use(
    http[method](at(path), async ({ request }) => {
      sent.push(await request.json());
      return answer();
    }),
  );
  return sent;
}

const dialog = (name: string) => screen.findByRole('dialog', { name });

describe('ServicesPage services', () => {
  const showServices = (mayManage = true, onOpen: (service: Service) => void = () => undefined) =>
    show(
      <ServicesPage
        search={{}}
        onSearch={() => undefined}
        setupLink={null}
        mayManage={mayManage}
        onOpen={onOpen}
        link={({ id, name }) => <a href={`#${id}`}>{name}</a>}
      />,
    );

  it('are listed with name, main package and description, and a dash for unknown values', async () => {
    server.use(
      http.get(at('/services'), () =>
        page([aService(), aService({ id: 's2', name: 'ingester', main_package: null })]),
      ),
    );
    showServices();
    const table = await screen.findByRole('table', { name: 'Services' });
    const [, shop, ingester] = within(table).getAllByRole('row');
    expect(shop).toHaveTextContent(/shopexample\.com\/shop\/cmd\/shopSells things/);
    expect(ingester).toHaveTextContent(/ingester–Sells things/);
  });

  it('are replaced by an empty state, in which viewers can add nothing', async () => {
    showServices(false);
    expect(await screen.findByText('No services yet.')).toBeInTheDocument();
    expect(await screen.findByText('No environments yet.')).toBeInTheDocument();
    expect(screen.queryByRole('button')).not.toBeInTheDocument();
    expect(screen.getAllByRole('textbox')).toEqual([screen.getByLabelText('Search services')]);
  });

  it('are replaced by an error if they cannot be loaded, until Try again succeeds', async () => {
    server.use(
      http.get(at('/services'), () => problem(403, { detail: 'You left the team.' }), {
        once: true,
      }),
      http.get(at('/services'), () => page([aService()])),
    );
    const { user } = showServices();
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('You left the team.');
    await user.click(within(alert).getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('link', { name: 'shop' })).toBeInTheDocument();
  });

  it('are created in a dialog and listed without a reload', async () => {
    let there: Service[] = [];
    server.use(http.get(at('/services'), () => page(there)));
    const sent = record('post', '/services', () => {
      there = [aService()];
      return HttpResponse.json(there[0], { status: 201 });
    });
    const { user } = showServices();
    await user.click(await screen.findByRole('button', { name: 'New service' }));
    const form = within(await dialog('New service'));
    expect(form.getByLabelText(/^Name/)).toBeRequired();
    await enter(user, form.getByLabelText(/^Name/), 'shop');
    await enter(user, form.getByLabelText('Description'), 'Sells');
    await user.click(form.getByRole('button', { name: 'Create service' }));
    expect(await screen.findByRole('link', { name: 'shop' })).toBeInTheDocument();
    expect(sent).toEqual([{ name: 'shop', description: 'Sells', main_package: null }]);
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  });

  it('stay in the dialog with the reason when the server rejects them', async () => {
    record('post', '/services', () =>
      problem(409, { title: 'The name is taken', detail: 'shop exists.', resolution: 'Open it.' }),
    );
    const { user } = showServices();
    await user.click(await screen.findByRole('button', { name: 'New service' }));
    await enter(user, within(await dialog('New service')).getByLabelText(/^Name/), 'shop');
    await user.keyboard('{Enter}');
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('The name is taken · shop exists.');
    expect(alert).toHaveTextContent('Open it.');
    expect(screen.getByLabelText(/^Name/)).toHaveValue('shop');
  });
});

describe('ServicesPage environments', () => {
  function showEnvironments(items: object[] = [PRODUCTION]) {
    server.use(http.get(at('/environments'), () => page(items)));
    return show(
      <ServicesPage
        search={{}}
        onSearch={() => undefined}
        mayManage
        onOpen={() => undefined}
        link={() => null}
        setupLink={null}
      />,
    );
  }

  it('are added by name, after which the field is empty', async () => {
    const items: object[] = [];
    const sent = record('post', '/environments', () => {
      items.push(PRODUCTION);
      return HttpResponse.json(PRODUCTION, { status: 201 });
    });
    const { user } = showEnvironments(items);
    const field = await screen.findByRole('textbox', { name: 'New environment' });
    await enter(user, field, 'production');
    await user.keyboard('{Enter}');
    expect(await screen.findByRole('textbox', { name: 'Name of production' })).toHaveValue(
      'production',
    );
    expect(field).toHaveValue('');
    expect(sent).toEqual([{ name: 'production' }]);
  });

  it('are renamed in place, but not to an empty or unchanged name', async () => {
    const sent = record('patch', '/environments/e1', () =>
      HttpResponse.json({ ...PRODUCTION, name: 'live' }),
    );
    const { user } = showEnvironments();
    const field = await screen.findByRole('textbox', { name: 'Name of production' });
    await user.click(field);
    await user.tab();
    await user.clear(field);
    await user.tab();
    expect(sent).toEqual([]);
    await enter(user, field, ' live ');
    await user.keyboard('{Enter}');
    await waitFor(() => expect(sent).toEqual([{ name: 'live' }]));
  });

  it('are deleted after a confirmation that lists what is deleted with them', async () => {
    let items = [PRODUCTION, { ...PRODUCTION, id: 'e2', name: 'staging' }];
    const deleted: unknown[] = [];
    server.use(
      http.delete(at('/environments/:id'), ({ params }) => {
        deleted.push(params.id);
        items = [PRODUCTION];
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { user } = showEnvironments();
    server.use(http.get(at('/environments'), () => page(items)));
    await user.click(await screen.findByRole('button', { name: 'Delete staging' }));
    const question = await dialog('Delete staging?');
    expect(question).toHaveTextContent('Deletes its deployments, annotations and change points.');
    expect(deleted).toEqual([]);
    await user.click(within(question).getByRole('button', { name: 'Delete environment' }));
    await waitFor(() =>
      expect(screen.queryByRole('textbox', { name: 'Name of staging' })).not.toBeInTheDocument(),
    );
    expect(deleted).toEqual(['e2']);
  });

  it('stay in the field with the reason when the server rejects them', async () => {
    record('post', '/environments', () => problem(409, { detail: 'At most 50 environments.' }));
    const { user } = showEnvironments();
    await user.type(await screen.findByRole('textbox', { name: 'New environment' }), 'x{Enter}');
    expect(await screen.findByRole('alert')).toHaveTextContent('At most 50 environments.');
    expect(screen.getByRole('textbox', { name: 'New environment' })).toHaveValue('x');
  });
});

type Shown = { mayManage?: boolean; mayWrite?: boolean; builds?: Build[]; onGone?: () => void };

function showService({
  mayManage = true,
  mayWrite = true,
  builds = [aBuild()],
  onGone = () => undefined,
}: Shown = {}) {
  server.use(
    http.get(at('/services/:id'), () => HttpResponse.json(aService())),
    http.get(at('/builds'), () => page(builds)),
  );
  return show(
    <ServiceDetail
      id={SERVICE}
      back={<a href="#services">All services</a>}
      mayManage={mayManage}
      mayWrite={mayWrite}
      onGone={onGone}
      buildLink={({ id }, words) => <a href={`#${id}`}>{words}</a>}
    />,
  );
}

describe('ServiceDetail', () => {
  it('shows why a service cannot be loaded, beside the link back', async () => {
    showService();
    server.use(http.get(at('/services/:id'), () => problem(404, { detail: 'It was deleted.' })));
    expect(await screen.findByRole('alert')).toHaveTextContent('It was deleted.');
    expect(screen.getByRole('link', { name: 'All services' })).toBeInTheDocument();
  });

  it('edits a service in a form with its current values', async () => {
    const sent = record('patch', '/services/:id', () => HttpResponse.json(aService()));
    const { user } = showService();
    await user.click(await screen.findByRole('button', { name: 'Edit' }));
    const form = within(await dialog('Edit shop'));
    const main = form.getByLabelText('Main package');
    expect(main).toHaveValue('example.com/shop/cmd/shop');
    await user.clear(main);
    await user.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(sent).toEqual([{ name: 'shop', description: 'Sells things', main_package: null }]),
    );
  });

  it('deletes a service after confirmation, and leaves the page', async () => {
    const gone: string[] = [];
    server.use(
      http.delete(at('/services/:id'), ({ params }) => {
        gone.push(String(params.id));
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { user } = showService({ onGone: () => gone.push('left') });
    await user.click(await screen.findByRole('button', { name: 'Delete' }));
    const question = await dialog('Delete shop?');
    expect(question).toHaveTextContent('Deletes its builds and their artifacts.');
    expect(gone).toEqual([]);
    await user.click(within(question).getByRole('button', { name: 'Delete service' }));
    await waitFor(() => expect(gone).toEqual([SERVICE, 'left']));
  });

  it('stays open with the reason when the server rejects the deletion', async () => {
    server.use(
      http.delete(at('/services/:id'), () => problem(409, { detail: 'A bisect uses it.' })),
    );
    const gone: string[] = [];
    const { user } = showService({ onGone: () => gone.push('left') });
    await user.click(await screen.findByRole('button', { name: 'Delete' }));
    const question = within(await dialog('Delete shop?'));
    await user.click(question.getByRole('button', { name: 'Delete service' }));
    expect(await question.findByRole('alert')).toHaveTextContent('A bisect uses it.');
    expect(gone).toEqual([]);
  });
});

describe('ServiceDetail builds', () => {
  it('are listed with their details, and a dash for unknown values', async () => {
    showService({
      builds: [
        aBuild({ display_name: 'v2.31', flags: '-race' }),
        aBuild({ id: 'b2', branch: null, go_version: '', goos: 'linux', goarch: '' }),
      ],
    });
    const table = await screen.findByRole('table', { name: 'Builds' });
    const [, first, second] = within(table).getAllByRole('row');
    expect(first).toHaveTextContent(/^5f3c1e8000v2\.31maingo1\.26\.3linux\/amd64-race/);
    expect(second).toHaveTextContent(/^5f3c1e8000–––linux–/);
  });

  it('are searched by the server', async () => {
    const asked: (string | null)[] = [];
    const { user } = showService();
    server.use(
      http.get(at('/builds'), ({ request }) => {
        const { searchParams } = new URL(request.url);
        // The confirmation of the first build requests one build.
        if (searchParams.get('limit') !== '1') asked.push(searchParams.get('search'));
        return page([]);
      }),
    );
    expect(await screen.findByText(/^No builds yet/)).toBeInTheDocument();
    await user.type(screen.getByRole('textbox', { name: 'Search builds' }), 'x');
    expect(await screen.findByText('No builds match these filters.')).toBeInTheDocument();
    expect(asked).toEqual([null, 'x']);
  });

  it('are created with their identifying values', async () => {
    const sent = record('post', '/builds', () => HttpResponse.json(aBuild(), { status: 201 }));
    const { user } = showService();
    await user.click(await screen.findByRole('button', { name: 'New build' }));
    const form = within(await dialog('New build'));
    expect(form.getByLabelText(/^Commit/)).toBeRequired();
    await enter(user, form.getByLabelText(/^Commit/), '9c41e0a');
    await enter(user, form.getByLabelText('GOOS'), 'linux');
    await user.click(form.getByRole('button', { name: 'Create build' }));
    await waitFor(() =>
      expect(sent).toEqual([
        {
          service_id: SERVICE,
          commit: '9c41e0a',
          go_version: '',
          goos: 'linux',
          goarch: '',
          flags: '',
          branch: null,
          label: null,
        },
      ]),
    );
  });

  it('keep their identifying values when they are edited', async () => {
    const sent = record('patch', '/builds/:id', () =>
      problem(409, { detail: 'The name is taken.', resolution: 'Choose another name.' }),
    );
    const { user } = showService();
    await user.click(await screen.findByRole('button', { name: 'Actions for 5f3c1e8000' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Edit', hidden: true }));
    const form = within(await dialog('Edit build'));
    for (const name of [/^Commit/, 'Go version', 'GOOS', 'GOARCH', 'Build flags'])
      expect(form.getByLabelText(name)).toBeDisabled();
    await user.clear(form.getByLabelText('Branch'));
    await user.type(form.getByLabelText('Name'), 'v3');
    await user.click(form.getByRole('button', { name: 'Save' }));
    expect(await form.findByRole('alert')).toHaveTextContent('Choose another name.');
    expect(sent).toEqual([{ branch: null, label: 'v3' }]);
  });

  it('are deleted after confirmation', async () => {
    const deleted: unknown[] = [];
    server.use(
      http.delete(at('/builds/:id'), ({ params }) => {
        deleted.push(params.id);
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { user } = showService();
    await user.click(await screen.findByRole('button', { name: 'Actions for 5f3c1e8000' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Delete build', hidden: true }));
    const question = await dialog('Delete 5f3c1e8000?');
    expect(question).toHaveTextContent('its point in every series');
    expect(deleted).toEqual([]);
    await user.click(within(question).getByRole('button', { name: 'Delete build' }));
    await waitFor(() => expect(deleted).toEqual([aBuild().id]));
  });

  it('are listed without actions for viewers', async () => {
    showService({ mayManage: false, mayWrite: false });
    expect(await screen.findByRole('link', { name: '5f3c1e8000' })).toBeInTheDocument();
    for (const name of ['New build', 'Edit', 'Delete'])
      expect(screen.queryByRole('button', { name })).toBeNull();
    expect(screen.queryByRole('button', { name: /^Actions/u })).toBeNull();
  });
});
