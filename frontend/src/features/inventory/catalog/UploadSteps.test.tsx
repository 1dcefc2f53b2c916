import { screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import { at, server } from '../../../testing/mock-api';
import { aBuild } from '../../../testing/regression-fixtures';
import { show } from '../../../testing/render';
import { UploadSteps, uploadCommands } from './UploadSteps';

const page = (...items: unknown[]) => HttpResponse.json({ items, next_cursor: null });

describe('commands of the first upload', () => {
  it('consist of five lines with the server, the service and the token', () => {
    const lines = uploadCommands('https://slowpath.example', 'shop', 'slp_secret');
    expect(lines).toHaveLength(5);
    expect(lines.slice(0, 2)).toEqual([
      'export SLOWPATH_URL=https://slowpath.example',
      'export SLOWPATH_TOKEN=slp_secret',
    ]);
    expect(lines[3]).toContain('/api/v1/builds/shop/');
  });

  it('have a placeholder without a token, and wait for the first build', async () => {
    server.use(http.get(at('/builds'), () => page()));
    show(<UploadSteps service={{ id: 's1', slug: 'shop' }} buildLink={(_, words) => words} />);
    expect(screen.getByLabelText('Commands')).toHaveTextContent(
      'PASTE-A-TOKEN-WITH-THE-SCOPE-UPLOAD',
    );
    expect(await screen.findByText('waiting for the first build')).toBeInTheDocument();
  });

  it('are confirmed with a link when the service has a build', async () => {
    let asked: string | null = null;
    server.use(
      http.get(at('/builds'), ({ request }) => {
        asked = new URL(request.url).searchParams.get('service_id');
        return page(aBuild({ id: 'b1' }));
      }),
    );
    show(
      <UploadSteps
        service={{ id: 's1', slug: 'shop' }}
        token="slp_secret"
        buildLink={({ id }, words) => <a href={`#${id}`}>{words}</a>}
      />,
    );
    const build = await screen.findByText('5f3c1e8000', { selector: 'a *' });
    expect(build.parentElement).toHaveAttribute('href', '#b1');
    expect(screen.getByRole('status')).toHaveTextContent(/arrived/u);
    expect(screen.getByLabelText('Commands')).toHaveTextContent('slp_secret');
    expect(asked).toBe('s1');
  });
});
