import { screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { ExecutableFunction } from '../../../api';
import { at, problem, server } from '../../../testing/mock-api';
import { enter, show } from '../../../testing/render';
import ExecutableFunctions from './ExecutableFunctions';

const CLONE: ExecutableFunction = {
  name: 'ingester/ident.Clone',
  file: '/src/ident/clone.go',
  line: 16,
  frame_bytes: 1064,
  size_bytes: 231,
  has_stack_check: true,
  is_wrapper: false,
  inlined: 2,
  calls: 5,
};
const WRAPPER = {
  ...CLONE,
  name: 'ingester/ident.Clone-fm',
  has_stack_check: false,
  is_wrapper: true,
};

/** Serves two functions, and records the requests. */
function answering() {
  const asked: string[] = [];
  server.use(
    http.get(at('/executables/a1/functions'), ({ request }) => {
      const { searchParams } = new URL(request.url);
      const name = searchParams.get('name') ?? '';
      asked.push(`${searchParams.get('order')} ${name}`);
      const functions = [CLONE, WRAPPER].filter((one) => one.name.includes(name));
      return HttpResponse.json({ functions, matched: functions.length, total: 4000 });
    }),
  );
  return asked;
}

describe('ExecutableFunctions', () => {
  it('shows frame size, stack check, code size, inlined calls and calls of each function', async () => {
    answering();
    show(<ExecutableFunctions artifactId="a1" />);
    const row = (await screen.findByTitle('ingester/ident.Clone /src/ident/clone.go:16')).closest(
      'tr',
    );
    expect(row).toHaveTextContent('ident.Clone1,064yes23125');
    expect(screen.getByText('2 functions of 4,000')).toBeVisible();
    expect(screen.getByText('wrapper').closest('tr')).toHaveTextContent('no');
  });

  it('requests functions by name and in the order of the selected column', async () => {
    const asked = answering();
    const { user } = show(<ExecutableFunctions artifactId="a1" />);
    await screen.findByText('2 functions of 4,000');
    await enter(user, screen.getByLabelText('Search functions of the program'), '-fm');
    expect(await screen.findByText('1 function of 4,000')).toBeVisible();
    await user.click(screen.getByRole('button', { name: /Code, B/u }));
    expect(await screen.findByText('1 function of 4,000')).toBeVisible();
    expect(asked).toEqual(['frame ', 'frame -fm', 'size -fm']);
    await enter(user, screen.getByLabelText('Search functions of the program'), 'nothing');
    expect(await screen.findByText(/No function has this name/u)).toBeVisible();
  });

  it('loads the next page with Show more', async () => {
    server.use(
      http.get(at('/executables/a1/functions'), ({ request }) => {
        const offset = Number(new URL(request.url).searchParams.get('offset'));
        return HttpResponse.json({
          functions: [CLONE, WRAPPER].slice(offset, offset + 1),
          matched: 2,
          total: 2,
        });
      }),
    );
    const { user } = show(<ExecutableFunctions artifactId="a1" />);
    expect(await screen.findByText('2 functions of 2, the first 1')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Show more' }));
    expect(await screen.findByText('2 functions of 2')).toBeVisible();
    expect(screen.getByText('wrapper')).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
  });

  it('shows an error when the functions cannot be loaded', async () => {
    server.use(
      http.get(at('/executables/a1/functions'), () =>
        problem(404, { title: 'Not found', detail: 'No functions of this artifact are stored.' }),
      ),
    );
    show(<ExecutableFunctions artifactId="a1" />);
    expect(await screen.findByRole('alert')).toHaveTextContent('Could not load the functions');
  });
});
