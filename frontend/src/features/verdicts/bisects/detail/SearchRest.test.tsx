import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { expect, it, vi } from 'vitest';
import type { Bisect } from '../../../../api';
import { aBisect } from '../../../../testing/bisect-fixtures';
import { at, problem, server } from '../../../../testing/mock-api';
import { show } from '../../../../testing/render';
import { SearchRest } from './SearchRest';

const FOLLOWING = '0190d2f0-0000-7000-8000-0000000000aa';

function showRest(bisect_id: string | null) {
  const opened = vi.fn<(id: string) => void>();
  const rest = { good_sha: 'a'.repeat(40), bad_sha: 'b'.repeat(40), bisect_id };
  const bisect: Bisect = aBisect({ state: 'found', rest });
  return { bisect, opened, ...show(<SearchRest bisect={bisect} onOpen={opened} />) };
}

it('SearchRest starts the bisect of the remaining range and opens it', async () => {
  const asked: string[] = [];
  server.use(
    http.post(at('/bisects/:id/rest'), ({ params }) => {
      asked.push(String(params.id));
      return HttpResponse.json({ ...aBisect(), id: FOLLOWING }, { status: 201 });
    }),
  );
  const { bisect, opened, user } = showRest(null);
  await user.click(screen.getByRole('button', { name: 'Search for the rest' }));
  await waitFor(() => expect(opened).toHaveBeenCalledWith(FOLLOWING));
  expect(asked).toEqual([bisect.id]);
});

it('SearchRest shows that the start was rejected and keeps the button enabled', async () => {
  server.use(
    http.post(at('/bisects/:id/rest'), () => problem(409, { detail: 'Too many bisects.' })),
  );
  const { user } = showRest(null);
  await user.click(screen.getByRole('button', { name: 'Search for the rest' }));
  await screen.findByText(/Could not start the search for the rest/);
  expect(screen.getByRole('button', { name: 'Search for the rest' })).toBeEnabled();
});

it('SearchRest opens an existing bisect of the remaining range', async () => {
  const { opened, user } = showRest(FOLLOWING);
  await user.click(screen.getByRole('button', { name: 'Open the search for the rest' }));
  expect(opened).toHaveBeenCalledWith(FOLLOWING);
});

it('SearchRest is hidden when no range remains', () => {
  show(<SearchRest bisect={aBisect({ rest: null })} onOpen={() => undefined} />);
  expect(screen.queryByRole('button')).toBeNull();
});
