import { screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { calls, setCurrentTeam } from '../../../api';
import { anArtifact } from '../../../testing/api-factories';
import { at, server } from '../../../testing/mock-api';
import { show } from '../../../testing/render';
import { UploadDrawer } from './UploadDrawer';
import { tray } from './tray-store';

const added = async (...paths: string[]) => {
  await tray.add(
    paths.map((path) => ({ path, file: new File(['x'], path, { lastModified: 0 }) })),
    [],
    'base',
  );
  await vi.waitFor(() => {
    expect(tray.snapshot().items.every(({ phase }) => phase === 'sent')).toBe(true);
  });
};

const sides = () => tray.snapshot().items.map(({ path, side }) => `${path} ${side ?? 'none'}`);

describe('UploadDrawer selection', () => {
  const deleted: string[] = [];
  beforeEach(async () => {
    tray.clear();
    deleted.length = 0;
    setCurrentTeam('northwind');
    server.use(
      http.put(at('/artifacts/:name'), ({ params }) =>
        HttpResponse.json(anArtifact({ id: `id of ${String(params.name)}` }), { status: 201 }),
      ),
      http.delete(at('/artifacts/:id'), ({ params }) => {
        deleted.push(String(params.id));
        return new HttpResponse(null, { status: 204 });
      }),
    );
    await added('1.pb', '2.pb', '3.pb', '4.pb');
  });

  it('moves a range selected with Shift to the candidate with the key C', async () => {
    const { user } = show(
      <UploadDrawer
        onOpen={() => undefined}
        onCompare={vi.fn()}
        comparing={false}
        compareError={null}
      />,
    );
    await user.click(screen.getByRole('checkbox', { name: 'Select 2.pb' }));
    await user.keyboard('{Shift>}');
    await user.click(screen.getByRole('checkbox', { name: 'Select 4.pb' }));
    await user.keyboard('{/Shift}');
    expect(screen.getByRole('toolbar', { name: 'Selected files' })).toHaveTextContent('3 selected');
    await user.keyboard('c');
    expect(sides()).toEqual(['1.pb base', '2.pb candidate', '3.pb candidate', '4.pb candidate']);
  });

  it('applies keys to the focused row when no file is selected', async () => {
    const { user } = show(
      <UploadDrawer
        onOpen={() => undefined}
        onCompare={vi.fn()}
        comparing={false}
        compareError={null}
      />,
    );
    screen.getByRole('checkbox', { name: 'Select 3.pb' }).focus();
    await user.keyboard('x');
    expect(sides()[2]).toBe('3.pb none');
    screen.getByRole('checkbox', { name: 'Select 1.pb' }).focus();
    await user.keyboard('{Delete}');
    expect(sides()).toEqual(['2.pb base', '3.pb none', '4.pb base']);
    await vi.waitFor(() => expect(deleted).toEqual(['id of 1.pb']));
  });

  it('selects all files with Ctrl+A, and Clear empties the tray but keeps artifacts', async () => {
    const { user } = show(
      <UploadDrawer
        onOpen={() => undefined}
        onCompare={vi.fn()}
        comparing={false}
        compareError={null}
      />,
    );
    screen.getByRole('checkbox', { name: 'Select 1.pb' }).focus();
    await user.keyboard('{Control>}a{/Control}');
    expect(screen.getByRole('toolbar')).toHaveTextContent('4 selected');
    await user.click(screen.getByRole('button', { name: 'Clear' }));
    expect(tray.snapshot().items).toEqual([]);
    // The deletion of another artifact is a later request than any that Clear sent.
    await calls.artifactsDelete({ path: { artifact_id: 'another' } });
    expect(deleted).toEqual(['another']);
  });
});
