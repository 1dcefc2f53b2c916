import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { afterEach, describe, expect, it } from 'vitest';
import { at, problem, server } from '../../../testing/mock-api';
import { aReport, aSnapshot, aText } from '../../../testing/report-fixtures';
import { enter, show } from '../../../testing/render';
import { ReportEditor } from './ReportEditor';
import type { Block } from './report-types';

const [FIRST, SECOND, THIRD] = [
  aSnapshot({ id: 'b1', title: 'The comparison', note: 'Before the fix.' }),
  aText({ id: 'b2', markdown: 'It is not inlined.' }),
  aSnapshot({ id: 'b3', title: 'The bisect', path: '/bisects/x' }),
];
const UPDATED = '2026-11-18T14:06:00Z';

function showEditor(blocks: Block[] = [FIRST, SECOND, THIRD]) {
  return show(
    <ReportEditor
      report={aReport({ blocks, updated_at: UPDATED })}
      page={({ path }) => <p>page of {path}</p>}
      liveLink={(path, words) => <a href={`#${path}`}>{words}</a>}
    />,
  );
}

/** Accepts each change; returns the bodies that were sent. */
function recordSaves(): { blocks: object[]; updated_at: string }[] {
  const sent: { blocks: object[]; updated_at: string }[] = [];
  server.use(
    http.patch(at('/reports/:id'), async ({ request }) => {
      sent.push((await request.json()) as (typeof sent)[0]);
      return HttpResponse.json(aReport());
    }),
  );
  return sent;
}

const refuseSaves = (detail: string) =>
  server.use(
    http.patch(at('/reports/:id'), () =>
      problem(409, { detail, resolution: 'Copy your text, then reload.' }),
    ),
  );

const button = (name: string) => screen.findByRole('button', { name });

// Unsaved text is restored in the next editor.
afterEach(() => sessionStorage.clear());

describe('empty draft of a report', () => {
  it('explains what to add and saves a first text', async () => {
    const sent = recordSaves();
    const { user } = showEditor([]);
    expect(screen.getByText(/^This report is empty\. Add text here/)).toBeInTheDocument();
    await user.click(await button('Add text at the top'));
    const save = await button('Save');
    expect(save).toBeDisabled();
    expect(save).toHaveAttribute('title', 'Enter some text');
    await enter(user, screen.getByRole('textbox', { name: 'Text' }), 'A **bold** claim');
    const preview = screen.getByRole('group', { name: 'Preview' });
    expect(await within(preview).findByText('bold', { selector: 'strong' })).toBeInTheDocument();
    await user.click(save);
    await waitFor(() =>
      expect(sent).toEqual([
        { blocks: [{ kind: 'text', markdown: 'A **bold** claim' }], updated_at: UPDATED },
      ]),
    );
    // Saved text is removed from the form, and is not restored as unsaved.
    expect(await button('Add text at the top')).toBeEnabled();
    expect(sessionStorage).toHaveLength(0);
  });
});

describe('parts of a draft', () => {
  it('are added between others, which are sent as ids only', async () => {
    const sent = recordSaves();
    const { user } = showEditor();
    await user.click(await button('Add text after part 2'));
    await enter(user, screen.getByRole('textbox', { name: 'Text' }), 'Then:');
    await user.click(await button('Save'));
    await waitFor(() =>
      expect(sent[0]?.blocks).toEqual([
        { id: 'b1' },
        { id: 'b2' },
        { kind: 'text', markdown: 'Then:' },
        { id: 'b3' },
      ]),
    );
  });

  it('are edited one at a time', async () => {
    const sent = recordSaves();
    const { user } = showEditor();
    await user.click(await button('Edit: text, part 2'));
    const text = screen.getByRole('textbox', { name: 'Text' });
    expect(text).toHaveValue('It is not inlined.');
    for (const name of ['Caption: The comparison', 'Remove: The bisect', 'Move up: The bisect'])
      expect(await button(name)).toBeDisabled();
    expect(await button('Add text at the top')).toHaveAttribute(
      'title',
      'Save or cancel the current edit first',
    );
    // The shortcuts that move a part are disabled as well.
    fireEvent.keyDown(await button('Remove: The bisect'), { key: 'ArrowUp', altKey: true });
    await user.clear(text);
    await enter(user, text, 'It is inlined.');
    await user.click(await button('Save'));
    await waitFor(() =>
      expect(sent.map(({ blocks }) => blocks)).toEqual([
        [{ id: 'b1' }, { id: 'b2', markdown: 'It is inlined.' }, { id: 'b3' }],
      ]),
    );
  });

  it('have a title and a caption when they are snapshots', async () => {
    const sent = recordSaves();
    const { user } = showEditor();
    await user.click(await button('Caption: The comparison'));
    const title = screen.getByRole('textbox', { name: 'Title' });
    expect(title).toHaveValue('The comparison');
    expect(screen.getByRole('textbox', { name: 'Caption' })).toHaveValue('Before the fix.');
    // The snapshot remains below its form.
    expect(screen.getByText('page of /comparisons/c1')).toBeInTheDocument();
    await user.clear(title);
    expect(await button('Save')).toBeDisabled();
    await enter(user, title, ' After ');
    await user.keyboard('{Enter}');
    await waitFor(() =>
      expect(sent[0]?.blocks[0]).toEqual({ id: 'b1', title: 'After', note: 'Before the fix.' }),
    );
  });

  it('are moved by buttons that are disabled at the ends', async () => {
    const sent = recordSaves();
    const { user } = showEditor();
    expect(await button('Move up: The comparison')).toBeDisabled();
    expect(await button('Move up: The comparison')).toHaveAttribute('title', 'Already first');
    expect(await button('Move down: The bisect')).toHaveAttribute('title', 'Already last');
    await user.click(await button('Move up: The bisect'));
    await waitFor(() =>
      expect(sent[0]?.blocks).toEqual([{ id: 'b1' }, { id: 'b3' }, { id: 'b2' }]),
    );
  });

  it('ignore shortcuts that would move them beyond the ends', async () => {
    const sent = recordSaves();
    const { user } = showEditor();
    (await button('Caption: The comparison')).focus();
    await user.keyboard('{Alt>}{ArrowUp}{/Alt}{ArrowDown}');
    (await button('Caption: The bisect')).focus();
    await user.keyboard('{Alt>}{ArrowUp}{/Alt}');
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]?.blocks).toEqual([{ id: 'b1' }, { id: 'b3' }, { id: 'b2' }]);
  });

  it('are moved by dragging a handle onto another part', async () => {
    const sent = recordSaves();
    showEditor();
    const from = screen.getByRole('region', { name: 'The comparison' });
    const onto = screen.getByRole('region', { name: 'The bisect' });
    const dataTransfer = { effectAllowed: 'none' };
    fireEvent.dragStart(within(from).getByTitle('Drag to move'), { dataTransfer });
    expect(dataTransfer.effectAllowed).toBe('move');
    fireEvent.drop(onto, { dataTransfer });
    await waitFor(() =>
      expect(sent[0]?.blocks).toEqual([{ id: 'b2' }, { id: 'b3' }, { id: 'b1' }]),
    );
    // A drop without a drag moves nothing.
    fireEvent.drop(onto, { dataTransfer });
    expect(sent).toHaveLength(1);
  });

  it('are removed after a confirmation that states what is lost', async () => {
    const sent = recordSaves();
    const { user } = showEditor();
    await user.click(await button('Remove: The comparison'));
    const dialog = await screen.findByRole('dialog', { name: 'Delete “The comparison”?' });
    expect(dialog).toHaveTextContent('This snapshot cannot be recreated.');
    await user.click(within(dialog).getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(sent).toEqual([]);
    await user.click(await button('Remove: text, part 2'));
    await user.click(await button('Delete part'));
    await waitFor(() => expect(sent[0]?.blocks).toEqual([{ id: 'b1' }, { id: 'b3' }]));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  });

  it('link to the live page when they are snapshots', () => {
    showEditor();
    const links = screen.getAllByRole('link', { name: 'Open the live page' });
    expect(links.map((link) => link.getAttribute('href'))).toEqual([
      '#/comparisons/c1',
      '#/bisects/x',
    ]);
  });
});

describe('rejected change of a draft', () => {
  it('keeps the text in its form and shows the reason and the remedy', async () => {
    refuseSaves('Another member changed the report.');
    const { user } = showEditor([SECOND]);
    await user.click(await button('Edit: text, part 1'));
    const text = screen.getByRole('textbox', { name: 'Text' });
    await enter(user, text, ' Really.');
    await user.click(await button('Save'));
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent(
      'Could not save the block · Another member changed the report.',
    );
    expect(alert).toHaveTextContent('Copy your text, then reload.');
    expect(text).toHaveValue('It is not inlined. Really.');
  });

  it('keeps the confirmation open when a part could not be removed', async () => {
    refuseSaves('Another member changed the report.');
    const { user } = showEditor([FIRST]);
    await user.click(await button('Remove: The comparison'));
    await user.click(await button('Delete part'));
    const dialog = screen.getByRole('dialog');
    expect(await within(dialog).findByRole('alert')).toHaveTextContent(
      'Could not delete it · Another member changed the report.',
    );
    // The page behind the dialog does not show the error a second time.
    expect(screen.getAllByRole('alert', { hidden: true })).toHaveLength(1);
  });
});
