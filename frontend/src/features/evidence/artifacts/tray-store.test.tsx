import { HttpResponse, http } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import { setCurrentTeam } from '../../../api';
import { anArtifact } from '../../../testing/api-factories';
import { at, problem, server } from '../../../testing/mock-api';
import { createTray } from './tray-store';
import type { AddedFiles } from './tray-types';

const dropped = (path: string, content = 'x'): AddedFiles => ({
  path,
  file: new File([content], path.split('/').pop() ?? path, { lastModified: 0 }),
});

type Put = { name: string; facts: unknown; batch: string | null };

/** Accepts every file, and records what was sent with it. */
function receiving(): Put[] {
  const puts: Put[] = [];
  server.use(
    http.put(at('/artifacts/:name'), ({ params, request }) => {
      const query = new URL(request.url).searchParams;
      const facts = query.get('run_metadata');
      puts.push({
        name: String(params.name),
        facts: facts && JSON.parse(facts),
        batch: query.get('batch'),
      });
      return HttpResponse.json(anArtifact({ name: String(params.name), state: 'received' }), {
        status: 201,
      });
    }),
  );
  return puts;
}

const settled = async (tray: ReturnType<typeof createTray>) =>
  vi.waitFor(() => {
    expect(
      tray.snapshot().items.every(({ phase }) => phase === 'sent' || phase === 'stopped'),
    ).toBe(true);
  });

describe('upload tray', () => {
  it('opens when files are added, guesses their sides, and uploads them in one batch', async () => {
    const puts = receiving();
    const tray = createTray();
    await tray.add([dropped('old/cpu.1.pb.gz'), dropped('new/cpu.1.pb.gz')]);
    expect(tray.snapshot().open).toBe(true);
    await settled(tray);
    expect(tray.snapshot().items.map(({ side, phase }) => [side, phase])).toEqual([
      ['base', 'sent'],
      ['candidate', 'sent'],
    ]);
    expect(new Set(puts.map(({ batch }) => batch))).toEqual(new Set([tray.snapshot().batch]));
  });

  it('uploads the run metadata of a sidecar with its artifact, and never the sidecar itself', async () => {
    const puts = receiving();
    const tray = createTray();
    await tray.add([
      dropped('a/cpu.pb.gz'),
      dropped('a/cpu.pb.gz.facts.json', '{"requests": 14000}'),
      dropped('b/cpu.pb.gz'),
    ]);
    await settled(tray);
    expect(puts.map(({ name, facts }) => [name, facts])).toEqual([
      ['cpu.pb.gz', { requests: 14000 }],
      ['cpu.pb.gz', null],
    ]);
  });

  it('reports a sidecar that matches no file or is not valid JSON', async () => {
    receiving();
    const tray = createTray();
    await tray.add([
      dropped('cpu.pb.gz'),
      dropped('cpu.pb.gz.facts.json', '{'),
      dropped('other.pb.gz.facts.json', '{}'),
    ]);
    const [broken, alone] = tray.snapshot().strays;
    expect(broken?.error).toMatch(/not valid JSON/i);
    expect(alone?.error).toMatch(/other\.pb\.gz is missing/);
  });

  it('keeps the side that a user chose when more files are added', async () => {
    receiving();
    const tray = createTray();
    await tray.add([dropped('old/1.pb'), dropped('new/1.pb')]);
    const moved = tray.snapshot().items[0]!;
    tray.place([moved.key], null);
    await tray.add([dropped('new/2.pb')]);
    expect(tray.snapshot().items.map(({ side }) => side)).toEqual([null, 'candidate', 'candidate']);
    await settled(tray);
  });

  it('stops a rejected file with its error, and uploads the others', async () => {
    receiving();
    server.use(
      http.put(at('/artifacts/huge.pb'), () =>
        problem(413, {
          type: 'urn:slowpath:too-large',
          detail: 'huge.pb is larger than an artifact may be.',
          limit: 10,
          value: 11,
          unit: 'bytes',
        }),
      ),
    );
    const tray = createTray();
    await tray.add([dropped('huge.pb'), dropped('fine.pb')]);
    await settled(tray);
    const [huge, fine] = tray.snapshot().items;
    expect(huge?.phase).toBe('stopped');
    expect(huge?.error).toMatchObject({ slug: 'too-large', facts: { limit: 10, value: 11 } });
    expect(fine?.phase).toBe('sent');
  });

  it('ignores a file that was added before', async () => {
    receiving();
    const tray = createTray();
    await tray.add([dropped('cpu.pb')]);
    await tray.add([dropped('cpu.pb')]);
    expect(tray.snapshot().items).toHaveLength(1);
    await settled(tray);
  });

  it('guesses that a second batch with the names of the first is the candidate', async () => {
    receiving();
    const tray = createTray();
    await tray.add([dropped('cpu.pb'), dropped('heap.pb')]);
    await tray.add([dropped('cpu.pb', 'other'), dropped('heap.pb', 'other')]);
    expect(tray.snapshot()).toMatchObject({
      items: [{ side: 'base' }, { side: 'base' }, { side: 'candidate' }, { side: 'candidate' }],
      reason: 'guessed from the order of the uploads',
    });
    await settled(tray);
  });

  it('keeps files on the side on which they were dropped', async () => {
    receiving();
    const tray = createTray();
    await tray.add([dropped('new/cpu.pb')], [], 'base');
    await tray.add([dropped('old/cpu.pb')], [], 'candidate');
    expect(tray.snapshot().items.map(({ side }) => side)).toEqual(['base', 'candidate']);
    await settled(tray);
  });

  it('replaces an archive by its files, and reports skipped ones', async () => {
    receiving();
    const tray = createTray();
    await tray.add([dropped('ci.zip')]);
    await settled(tray);
    const { artifactId } = tray.snapshot().items[0]!;
    const archive = {
      files: 2,
      skipped: [{ path: 'candidate/empty', reason: 'empty' }],
      skipped_files: 1,
      warnings: [],
    };
    const artifacts = [
      anArtifact({ id: artifactId!, name: 'ci.zip', kind: 'archive', profile: null, archive }),
      anArtifact({ archive_id: artifactId, folder: 'base' }),
      anArtifact({ archive_id: artifactId, folder: 'candidate' }),
    ];
    tray.unpackArchives(new Map(artifacts.map((each) => [each.id, each])));
    expect(tray.snapshot().items.map(({ path, side, phase }) => [path, side, phase])).toEqual([
      ['ci.zip/base/cpu.pb.gz', 'base', 'sent'],
      ['ci.zip/candidate/cpu.pb.gz', 'candidate', 'sent'],
    ]);
    expect(tray.snapshot().strays).toEqual([
      { path: 'ci.zip', error: '1 file skipped: candidate/empty (empty).' },
    ]);
  });

  it('restores the files of a team after a reload, and never those of another team', async () => {
    const batch = crypto.randomUUID();
    server.use(
      http.put(at('/artifacts/:name'), () =>
        HttpResponse.json(anArtifact({ batch }), { status: 201 }),
      ),
    );
    setCurrentTeam('northwind');
    const tray = createTray();
    await tray.add([dropped('old/cpu.pb'), dropped('new/cpu.pb')]);
    await settled(tray);
    tray.place([tray.snapshot().items[0]!.key], null);

    const reloaded = createTray();
    setCurrentTeam('other');
    reloaded.switchTeam('other');
    expect(reloaded.snapshot()).toMatchObject({ items: [], open: false });
    setCurrentTeam('northwind');
    reloaded.switchTeam('northwind');
    expect(reloaded.snapshot()).toMatchObject({
      open: true,
      items: [
        { path: 'old/cpu.pb', side: null, placed: true, phase: 'sent', file: null },
        { path: 'new/cpu.pb', side: 'candidate', phase: 'sent' },
      ],
    });
    reloaded.clear();
    setCurrentTeam(null);
  });
});
