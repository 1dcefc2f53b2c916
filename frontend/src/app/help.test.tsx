import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, test, vi } from 'vitest';
import { at, problem, server } from '../testing/mock-api';
import { open } from '../testing/render';

const signedOut = http.get(at('/session'), () => problem(401, { title: 'Not signed in' }));

describe('User guide', () => {
  test('is readable without signing in, with a list of pages and images', async () => {
    server.use(signedOut);
    open('/help/reading-a-result');
    expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent('Reading a result');
    const pages = screen.getByRole('navigation', { name: 'Pages of the guide' });
    expect(within(pages).getByRole('link', { name: 'Glossary' })).toHaveAttribute(
      'href',
      '/help/glossary',
    );
    expect(screen.getByRole('img', { name: /^Three findings/u })).toHaveAttribute(
      'src',
      expect.stringMatching(/confidence-interval.*\.svg/u),
    );
  });

  test('has anchors, a table of contents, and links between its pages', async () => {
    const { user, where } = open('/help/comparing');
    const heading = await screen.findByRole('heading', { name: 'Prepare good sets' });
    expect(heading).toHaveAttribute('id', 'prepare-good-sets');
    const contents = screen.getByRole('navigation', { name: 'On this page' });
    await user.click(within(contents).getByRole('link', { name: 'Export' }));
    expect(where()).toBe('/help/comparing#export');
    const text = within(screen.getByRole('main'));
    await user.click(text.getByRole('link', { name: 'Reading a result' }));
    expect(
      await screen.findByRole('heading', { level: 1, name: 'Reading a result' }),
    ).toBeVisible();
  });

  test('scrolls to the heading in the address', async () => {
    const scroll = vi.spyOn(window.HTMLElement.prototype, 'scrollIntoView');
    open('/help/reading-a-result#inconclusive');
    const heading = await screen.findByRole('heading', { name: 'Inconclusive' });
    await waitFor(() => expect(scroll.mock.contexts).toContain(heading));
  });

  test('copies a code block to the clipboard', async () => {
    const { user } = open('/help/getting-started');
    const [copy] = await screen.findAllByRole('button', { name: 'Copy' });
    await user.click(copy!);
    expect(await navigator.clipboard.readText()).toBe('npm start');
    expect(copy).toHaveTextContent('Copied');
  });

  test('can be searched with the keyboard only', async () => {
    const { user, where } = open('/help');
    await screen.findByRole('heading', { level: 1 });
    await user.keyboard('/');
    const field = screen.getByRole('combobox', { name: 'Search the guide' });
    expect(field).toHaveFocus();
    await user.keyboard('false discovery');
    const results = await screen.findAllByRole('option');
    expect(results[0]).toHaveAttribute('aria-selected', 'true');
    expect(results[0]?.querySelector('mark')).not.toBeNull();
    await user.keyboard('{ArrowDown}{ArrowUp}{Enter}');
    expect(
      await screen.findByRole('heading', { level: 1, name: /^(?!Slowpath user)/u }),
    ).toBeVisible();
    expect(where()).toMatch(/^\/help\/[\w-]+(#[\w-]+)?$/u);
    expect(field).toHaveValue('');
  });

  test('shows the name of a page that does not exist', async () => {
    open('/help/nothing');
    expect(await screen.findByText('The guide has no page named nothing.')).toBeVisible();
  });
});

test('MCP guide page shows the setup command with the address of this server', async () => {
  open('/help/mcp');
  expect(await screen.findByText(/claude mcp add/u)).toHaveTextContent(
    `${window.location.origin}/mcp`,
  );
  expect(screen.queryByText(/slowpath\.example/u)).toBeNull();
});

describe('API reference', () => {
  const document = {
    paths: {
      '/api/v1/builds': {
        get: {
          tags: ['builds'],
          summary: 'List Builds',
          parameters: [{ name: 'cursor', in: 'query', schema: { type: 'string' } }],
          responses: {
            200: {
              content: {
                'application/json': { schema: { $ref: '#/components/schemas/BuildsOut' } },
              },
            },
            404: { description: 'Not found' },
          },
        },
      },
      '/api/v1/reports': { get: { tags: ['reports'], summary: 'List Reports', responses: {} } },
    },
    components: {
      schemas: { BuildsOut: { type: 'object', properties: { items: { type: 'array' } } } },
    },
  };

  test('lists the operations of the server, shows details of an opened one, and filters them', async () => {
    server.use(http.get('*/api/v1/openapi.json', () => HttpResponse.json(document)));
    const { user } = open('/help/api-reference');
    expect(await screen.findByText('2 operations')).toBeVisible();
    expect(screen.queryByText('cursor')).toBeNull();
    const [builds] = screen.getAllByText('/api/v1/builds');
    await user.click(builds!);
    expect(await screen.findByText('cursor')).toBeInTheDocument();
    expect(screen.getByText(/"\$SLOWPATH_URL\/api\/v1\/builds"/u)).toBeInTheDocument();
    expect(screen.getByText('BuildsOut')).toBeInTheDocument();
    await user.type(screen.getByRole('textbox', { name: 'Filter operations' }), 'reports');
    expect(screen.queryByText('/api/v1/builds')).toBeNull();
    expect(screen.getByText('1 operation')).toBeVisible();
  });

  test('shows why the API description cannot be loaded', async () => {
    server.use(
      http.get('*/api/v1/openapi.json', () => problem(503, { detail: 'It is being updated.' })),
    );
    open('/help/api-reference');
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'Could not load the API description · It is being updated.',
    );
  });
});

test('Empty comparison list and unknown page link to the user guide', async () => {
  open('/t/northwind/comparisons');
  expect(await screen.findByRole('link', { name: 'Help: comparing' })).toHaveAttribute(
    'href',
    '/help/comparing',
  );
  open('/nowhere');
  expect(await screen.findByRole('link', { name: 'User guide' })).toHaveAttribute('href', '/help');
});
