import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import type { DashboardAnnotation } from '../../../api';
import { readDashboard } from '../../../engine/dashboard/dashboard-file';
import { ENVIRONMENT, aDashboard, serviceId } from '../../../testing/dashboard-fixtures';
import { at, problem, server } from '../../../testing/mock-api';
import { enter, show } from '../../../testing/render';
import { AnnotationsPanel } from './AnnotationsPanel';

const time = (text: string) => Date.parse(`2026-11-${text}Z`);

const anAnnotation = (changed: Partial<DashboardAnnotation> = {}): DashboardAnnotation => ({
  id: 'n1',
  service_id: null,
  at_ms: time('18T14:02:37'),
  until_ms: null,
  text: 'load test',
  ...changed,
});

function shown(open: string, annotations: DashboardAnnotation[], mayWrite = true) {
  const onOpen = vi.fn();
  const onSaved = vi.fn(() => Promise.resolve());
  const board = readDashboard(aDashboard({ header: { annotations } }));
  const { user } = show(
    <AnnotationsPanel
      open={open}
      board={board}
      environment={ENVIRONMENT}
      mayWrite={mayWrite}
      onOpen={onOpen}
      onSaved={onSaved}
    />,
  );
  return { user, onOpen, onSaved };
}

/** Records the bodies of requests to the annotations with one method; responds with `answer`. */
function record(method: 'post' | 'patch' | 'delete', path: string, answer: () => Response) {
  const sent: unknown[] = [];
  server.use(
    http[method](at(`/annotations${path}`), async ({ request }) => {
      sent.push(await request.json().catch(() => null));
      return answer();
    }),
  );
  return sent;
}

const button = (name: string) => screen.findByRole('button', { name });

describe('AnnotationsPanel list', () => {
  it('shows time, service and text of each annotation, newest first', async () => {
    shown('all', [
      anAnnotation({ id: 'old', at_ms: time('18T12:30:00'), text: 'failover' }),
      anAnnotation({ id: 'new', service_id: serviceId(1), until_ms: time('18T14:30:00') }),
    ]);
    const items = (await screen.findAllByRole('listitem')).map(({ textContent }) => textContent);
    expect(items).toEqual([
      'Wed 18 Nov 14:02 to 14:30 UTC, distributorload test',
      'Wed 18 Nov 12:30 UTC, all servicesfailover',
    ]);
  });

  it('shows the day of the end if it is not that of the start', async () => {
    shown('all', [anAnnotation({ at_ms: time('17T23:00:00'), until_ms: time('18T01:00:00') })]);
    expect(await screen.findByRole('listitem')).toHaveTextContent(
      'Tue 17 Nov 23:00 to Wed 18 Nov 01:00 UTC, all services',
    );
  });

  it('does not show an annotation of a service without a row as one of all services', async () => {
    shown('all', [anAnnotation({ service_id: 'gone' })]);
    expect(await screen.findByRole('listitem')).toHaveTextContent('UTC, a service');
  });

  it('shows viewers an empty state without Add annotation', async () => {
    shown('all', [], false);
    expect(await screen.findByText(/^No annotations yet/)).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Add annotation' })).not.toBeInTheDocument();
  });

  it('opens a new annotation and an existing one', async () => {
    const { user, onOpen } = shown('all', [anAnnotation()]);
    await user.click(await button('Add annotation'));
    await user.click(screen.getByText('load test'));
    expect(onOpen.mock.calls).toEqual([['new'], ['n1']]);
  });
});

describe('AnnotationsPanel form', () => {
  it('keeps the seconds of start and end when only the text is changed', async () => {
    const sent = record('patch', '/:id', () => HttpResponse.json({}));
    const { user, onSaved, onOpen } = shown('n1', [
      anAnnotation({ until_ms: time('18T14:05:12') }),
    ]);
    const text = await screen.findByLabelText('Text');
    await user.clear(text);
    await enter(user, text, 'second load test');
    await user.click(await button('Save'));
    await waitFor(() => expect(onOpen).toHaveBeenCalledWith('all'));
    expect(sent).toEqual([
      {
        started_at: '2026-11-18T14:02:37Z',
        ended_at: '2026-11-18T14:05:12Z',
        text: 'second load test',
      },
    ]);
    expect(onSaved).toHaveBeenCalledOnce();
  });

  it('requires a text, and an end after the start', async () => {
    const sent = record('post', '', () => HttpResponse.json({}, { status: 201 }));
    const { user } = shown('new', []);
    expect(await button('Save')).toBeDisabled();
    await enter(user, screen.getByLabelText('Text'), '  ');
    expect(await button('Save')).toBeDisabled();
    await enter(user, screen.getByLabelText('Text'), 'failover');
    await user.type(screen.getByLabelText('End (optional)'), '2026-11-18T15:00');
    expect(screen.getByText('Must be later')).toBeInTheDocument();
    await user.click(await button('Save'));
    expect(sent).toEqual([]);
    await user.clear(screen.getByLabelText('End (optional)'));
    await user.click(await button('Save'));
    await waitFor(() => expect(sent).toHaveLength(1));
  });

  it('shows why the annotation could not be saved, and keeps the text', async () => {
    record('post', '', () => problem(422, { title: 'Invalid', detail: 'The text is too long.' }));
    const { user, onOpen } = shown('new', []);
    await enter(user, await screen.findByLabelText('Text'), 'failover');
    await user.click(await button('Save'));
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Could not save the annotation');
    expect(alert).toHaveTextContent('The text is too long.');
    expect(screen.getByLabelText('Text')).toHaveValue('failover');
    expect(onOpen).not.toHaveBeenCalled();
  });

  it('shows an error of the deletion, not of saving, when that is rejected', async () => {
    record('delete', '/:id', () => problem(403, { title: 'Refused', detail: 'Not yours.' }));
    const { user } = shown('n1', [anAnnotation()]);
    await user.click(await button('Delete'));
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Could not delete the annotation');
    expect(alert).not.toHaveTextContent('Could not save');
  });
});
