import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { setPreference } from '../ui';
import { at, page, server } from '../testing/mock-api';
import { tray } from '../features/evidence/artifacts';
import { open } from '../testing/render';

const match = (type: string, title: string, path: string) => ({
  type,
  id: '00000000-0000-0000-0000-000000000001',
  title,
  subtitle: `of ${title}`,
  path,
});
const answer = (groups: object[], is_similar = false) =>
  http.get(at('/search'), () => HttpResponse.json({ groups, is_similar }));

beforeEach(() => {
  setPreference('recent-northwind', '[]');
  server.use(
    answer([
      { type: 'service', items: [match('service', 'checkout', '/services/s1')] },
      { type: 'build', items: [match('build', 'checkout build', '/builds/b1')] },
    ]),
  );
});

async function opened(keys: string) {
  const app = open('/t/northwind/services');
  await screen.findByRole('button', { name: 'Search and commands' });
  await app.user.keyboard(keys);
  const field = await screen.findByRole('combobox', { name: 'Search objects and commands' });
  return { ...app, field };
}

// The drawer stays open on all pages, also on those of the next test.
afterEach(() => tray.setOpen(false));

describe('Command palette', () => {
  test.each(['{Control>}k{/Control}', '/'])('opens by pressing %s', async (keys) => {
    const { user, field } = await opened(keys);
    await waitFor(() => expect(field).toHaveFocus());
    expect(field).toHaveValue('');
    await user.keyboard('{Escape}');
    await waitFor(() => expect(field).not.toBeInTheDocument());
  });

  test('opens an object with the keyboard only, and lists it as recent', async () => {
    const { user, field, where } = await opened('{Control>}k{/Control}');
    await user.click(field);
    await user.paste('checkout');
    const builds = await screen.findByRole('group', { name: 'Builds' });
    const option = within(builds).getByRole('option', { name: /^checkout build/u });
    await user.keyboard('{ArrowDown}');
    expect(option).toHaveAttribute('aria-selected', 'true');
    expect(field).toHaveAttribute('aria-activedescendant', option.id);
    await user.keyboard('{Enter}');
    await waitFor(() => expect(where()).toBe('/t/northwind/builds/b1'));
    await user.keyboard('{Control>}k{/Control}');
    const recent = await screen.findByRole('group', { name: 'Recent' });
    expect(within(recent).getByRole('option')).toHaveTextContent('checkout build');
  });

  test('runs commands that open a page, a panel and a dialog', async () => {
    server.use(answer([]));
    const { user, where } = open('/t/northwind/services');
    await screen.findByRole('button', { name: 'Search and commands' });
    const run = async (name: string) => {
      await user.keyboard('{Control>}k{/Control}');
      await user.click(
        await screen.findByRole('combobox', { name: 'Search objects and commands' }),
      );
      await user.paste(name);
      await user.click(await screen.findByRole('option', { name: new RegExp(`^${name}`, 'u') }));
    };
    await run('Start a bisect');
    await waitFor(() => expect(where()).toBe('/t/northwind/bisects/new'));
    await run('Upload files');
    expect(await screen.findByRole('complementary', { name: 'Upload' })).toBeVisible();
    await run('Keyboard shortcuts');
    expect(await screen.findByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  });

  test('runs commands that open a settings tab and change the theme', async () => {
    server.use(
      answer([]),
      http.get(at('/notification-channels'), () => page([])),
    );
    const { user, field, where } = await opened('{Control>}k{/Control}');
    await user.click(field);
    await user.paste('settings notif');
    await user.click(await screen.findByRole('option', { name: /^Notifications/u }));
    await waitFor(() => expect(where()).toBe('/t/northwind/settings?tab=notifications'));
    await user.keyboard('{Control>}k{/Control}');
    await user.click(await screen.findByRole('combobox', { name: 'Search objects and commands' }));
    await user.paste('dark');
    await user.keyboard('{Enter}');
    await waitFor(() =>
      expect(document.documentElement).toHaveAttribute('data-mantine-color-scheme', 'dark'),
    );
  });

  test.each([
    ['notifcation', ['Settings', 'Help'], /^Notifications/u],
    ['dahsboard', ['Pages'], /^Dashboard/u],
    ['comparson', ['Actions', 'Pages'], /^Compar/u],
  ])('finds commands and help for the misspelled word %s', async (typed, groups, first) => {
    server.use(answer([]));
    const { user, field } = await opened('{Control>}k{/Control}');
    await user.click(field);
    await user.paste(typed);
    expect((await screen.findAllByRole('option', { name: first }))[0]).toBeVisible();
    const names = screen.getAllByRole('group').map((group) => group.getAttribute('aria-label'));
    expect(names).toEqual(expect.arrayContaining(groups));
  });

  test.each([
    [true, 'dark', ['Settings', 'Commits']],
    [false, 'dark', ['Commits', 'Settings']],
    [true, 'darkk', ['Settings', 'Commits']],
  ])('with is_similar %s and the query "%s" lists groups %s', async (similar, typed, groups) => {
    const words = match('commit', 'Words about postage', '/repositories/r/commits/c');
    server.use(answer([{ type: 'commit', items: [{ ...words, subtitle: 'Dan Falk' }] }], similar));
    const { user, field } = await opened('{Control>}k{/Control}');
    await user.click(field);
    await user.paste(typed);
    await screen.findByRole('option', { name: /^Words about postage/u });
    const names = screen.getAllByRole('group').map((group) => group.getAttribute('aria-label'));
    expect(names).toEqual(groups);
  });

  test('shows the count of one result in the singular', async () => {
    server.use(answer([{ type: 'report', items: [match('report', 'zzz', '/reports/r')] }]));
    const { user, field } = await opened('{Control>}k{/Control}');
    await user.click(field);
    await user.paste('zzz');
    expect(await screen.findByText('1 result')).toBeInTheDocument();
  });

  test('shows that nothing was found, and ignores recent objects saved in an unknown format', async () => {
    setPreference('recent-northwind', '{"not": "a list"}');
    server.use(answer([]));
    const { user, field } = await opened('{Control>}k{/Control}');
    expect(screen.queryByRole('group', { name: 'Recent' })).toBeNull();
    await user.click(field);
    await user.paste('nothing of this name');
    await waitFor(() => expect(screen.getByText('No results.')).toBeVisible());
  });
});

test('Question mark key lists the keyboard shortcuts of the page', async () => {
  const { user } = open('/t/northwind/services');
  await screen.findByRole('button', { name: 'Search and commands' });
  await user.keyboard('?');
  const dialog = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
  expect(within(dialog).getByText('search and commands')).toBeVisible();
});
