import { fireEvent, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { EMPTY_VIEW, type FlameView } from '../../../../engine/flame/flame-view';
import { aView } from '../../../../testing/api-factories';
import { enter, show } from '../../../../testing/render';
import { FilterChips, FlameToolbar } from './FlameToolbar';

type Shown = {
  flame?: Partial<FlameView>;
  sampleTypes?: string[];
  view?: Parameters<typeof aView>[0];
};

function toolbar({ flame = {}, sampleTypes = ['cpu'], view = {} }: Shown = {}) {
  const views: FlameView[] = [];
  const types: string[] = [];
  const shown = show(
    <FlameToolbar
      view={aView(view)}
      sampleTypes={sampleTypes}
      flame={{ ...EMPTY_VIEW, ...flame }}
      matches="2 frames"
      onFlame={(next) => views.push(next)}
      onSampleType={(next) => types.push(next)}
    />,
  );
  return { ...shown, views, types };
}

const radio = (group: string, name: string) =>
  within(screen.getByRole('radiogroup', { name: group })).getByRole('radio', { name });

describe('filter of FlameToolbar', () => {
  it('applies all three patterns at once, each to its own field', async () => {
    const { user, views } = toolbar();
    await user.click(screen.getByRole('button', { name: 'Filter' }));
    await enter(user, await screen.findByLabelText('Focus'), 'main');
    await enter(user, screen.getByLabelText('Ignore'), 'idle');
    await enter(user, screen.getByLabelText('Hide'), 'runtime');
    await user.keyboard('{Enter}');
    expect(views).toEqual([{ ...EMPTY_VIEW, focus: 'main', ignore: 'idle', hide: 'runtime' }]);
  });

  it('starts with the active patterns, and keeps those that were not edited', async () => {
    const { user, views } = toolbar({ flame: { focus: 'main', ignore: 'idle', hide: 'runtime' } });
    await user.click(screen.getByRole('button', { name: 'Filter' }));
    expect(await screen.findByLabelText('Hide')).toHaveValue('runtime');
    await user.clear(screen.getByLabelText('Focus'));
    await user.keyboard('{Enter}');
    expect(views).toEqual([{ ...EMPTY_VIEW, focus: '', ignore: 'idle', hide: 'runtime' }]);
  });

  it('shows at its field why a pattern is invalid', async () => {
    const { user } = toolbar({ flame: { ignore: '(' } });
    await user.click(screen.getByRole('button', { name: 'Filter' }));
    expect(await screen.findByLabelText('Ignore')).toBeInvalid();
    expect(screen.getByLabelText('Ignore')).toHaveAccessibleDescription(/Unterminated group/u);
    expect(screen.getByLabelText('Focus')).toBeValid();
  });

  it('accepts an escape that the flame graph accepts', async () => {
    const { user } = toolbar({ flame: { focus: String.raw`go\-kit` } });
    await user.click(screen.getByRole('button', { name: 'Filter' }));
    expect(await screen.findByLabelText('Focus')).toBeValid();
  });
});

describe('search field of FlameToolbar', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('searches once typing pauses, and clears the search on Escape', () => {
    vi.useFakeTimers();
    const { views } = toolbar({ flame: { search: { ...EMPTY_VIEW.search, pattern: 'old' } } });
    const field = screen.getByLabelText('Search frames');
    expect(field).toHaveValue('old');
    fireEvent.change(field, { target: { value: 'C' } });
    fireEvent.change(field, { target: { value: 'Clone' } });
    expect(views).toEqual([]);
    vi.advanceTimersByTime(250);
    expect(views.map(({ search }) => search.pattern)).toEqual(['Clone']);
    fireEvent.keyDown(field, { key: 'Escape' });
    expect(field).toHaveValue('');
    vi.advanceTimersByTime(250);
    expect(views.map(({ search }) => search.pattern)).toEqual(['Clone', '']);
  });

  it('announces the matches to screen readers', () => {
    toolbar();
    expect(screen.getByText('2 frames')).toHaveAttribute('aria-live', 'polite');
  });

  it('marks an invalid regular expression, and switches to plain text on click', async () => {
    const { user, views } = toolbar();
    const field = screen.getByLabelText('Search frames');
    await enter(user, field, 'Pool).Clone');
    expect(field).toBeInvalid();
    expect(field).toHaveAttribute('title', expect.stringContaining('Unmatched'));
    const regex = screen.getByRole('button', { name: 'Regular expression' });
    expect(regex).toHaveAttribute('aria-pressed', 'true');
    await user.click(regex);
    expect(views.at(-1)?.search).toEqual({
      pattern: 'Pool).Clone',
      regex: false,
      caseSensitive: false,
    });
  });

  it.each([
    ['plain text', { pattern: '(', regex: false, caseSensitive: false }],
    [
      'an escape that the flame graph accepts',
      { pattern: String.raw`go\-kit`, regex: true, caseSensitive: false },
    ],
  ])('does not mark %s as invalid', (_, search) => {
    toolbar({ flame: { search } });
    expect(screen.getByLabelText('Search frames')).toBeValid();
  });
});

describe('choices of FlameToolbar', () => {
  it('enable the supported normalizations, and state what is missing for a disabled one', async () => {
    const { user, views } = toolbar();
    expect(radio('Normalize by', 'CPU s per s')).toBeChecked();
    expect(radio('Normalize by', 'per request')).toBeDisabled();
    expect(screen.getByText('per request')).toHaveAttribute(
      'title',
      'Needs the requests served during every profile: enter them in the upload drawer, or add F.metadata.json beside F',
    );
    expect(screen.queryByText('mean')).toBeNull();
    await user.click(radio('Normalize by', 'share'));
    expect(views.at(-1)?.basis).toBe('share');
  });

  it('include the mean instead of rates for a heap profile', () => {
    toolbar({
      view: { kind: 'heap', normalizations: ['share', 'mean'], default_normalization: 'mean' },
    });
    const names = within(screen.getByRole('radiogroup', { name: 'Normalize by' }))
      .getAllByRole('radio')
      .map((each) => (each as HTMLInputElement).value);
    expect(names).toEqual(['share', 'mean']);
    expect(radio('Normalize by', 'mean')).toBeChecked();
  });

  it('name CPU seconds only for CPU profiles', () => {
    toolbar({ view: { kind: 'mutex' } });
    expect(radio('Normalize by', 'per second')).toBeChecked();
  });

  it('select the default normalization when the URL names one that is not available', () => {
    toolbar({ flame: { basis: 'per_request' } });
    expect(radio('Normalize by', 'CPU s per s')).toBeChecked();
  });

  it('reset the zoom when the granularity changes', async () => {
    const { user, views } = toolbar({ flame: { zoom: 'a;b', span: { from: 0.2, to: 0.4 } } });
    await user.click(radio('Granularity', 'line'));
    expect(views).toEqual([{ ...EMPTY_VIEW, granularity: 'line', zoom: '', span: null }]);
  });

  it('include the sample type when there are several', async () => {
    const { user, types } = toolbar({
      sampleTypes: ['inuse_space', 'inuse_objects'],
      view: { kind: 'heap', sample_type: 'inuse_space' },
    });
    await user.click(screen.getByRole('button', { name: 'View' }));
    const chosen = await screen.findByRole('menuitemradio', { name: 'inuse space', hidden: true });
    expect(chosen).toHaveAttribute('aria-checked', 'true');
    await user.click(screen.getByRole('menuitemradio', { name: 'inuse objects', hidden: true }));
    expect(types).toEqual(['inuse_objects']);
  });

  it('leave out the sample type when there is only one', async () => {
    const { user, views } = toolbar();
    await user.click(screen.getByRole('button', { name: 'View' }));
    await user.click(
      await screen.findByRole('menuitemcheckbox', { name: 'Collapse recursion', hidden: true }),
    );
    expect(views.at(-1)?.collapseRecursion).toBe(true);
    expect(screen.queryByText('Measured')).toBeNull();
  });
});

describe('FilterChips', () => {
  function chips(changed: Partial<FlameView>) {
    const views: FlameView[] = [];
    const flame = { ...EMPTY_VIEW, ...changed };
    const shown = show(<FilterChips flame={flame} onFlame={(next) => views.push(next)} />);
    return { ...shown, views, flame };
  }

  it('shows the zoom to a finding and the collapsed callers, and removes each on click', async () => {
    const flame = { ...EMPTY_VIEW, zoom: 'n["a"]', collapseCallers: true };
    const views: FlameView[] = [];
    const { user } = show(
      <FilterChips flame={flame} onFlame={(next) => views.push(next)} finding={1} callers={24} />,
    );
    await user.click(screen.getByRole('button', { name: 'Without Zoom: finding 1' }));
    await user.click(screen.getByRole('button', { name: /^Without 24 callers collapsed/u }));
    expect(views).toEqual([
      { ...flame, zoom: '' },
      { ...flame, collapseCallers: false, expanded: '' },
    ]);
  });

  it('is hidden when there is only a search', () => {
    chips({ search: { ...EMPTY_VIEW.search, pattern: 'x' } });
    expect(screen.queryByRole('list')).toBeNull();
  });

  it.each<[string, Partial<FlameView>, Partial<FlameView>]>([
    ['Without focus main', { focus: 'main' }, { focus: '' }],
    ['Without ignore idle', { ignore: 'idle' }, { ignore: '' }],
    ['Without hide runtime', { hide: 'runtime' }, { hide: '' }],
    ['Without callers and callees of main.run', { sandwich: 'main.run' }, { sandwich: '' }],
    ['Without recursion collapsed', { collapseRecursion: true }, { collapseRecursion: false }],
    ['Without zoomed in', { zoom: 'a', span: { from: 0, to: 0.5 } }, { zoom: '', span: null }],
  ])('has a button "%s" that removes only this filter', async (name, changed, without) => {
    const both = { focus: 'other', ...changed };
    const { user, views, flame } = chips(both);
    await user.click(screen.getByRole('button', { name }));
    expect(views).toEqual([{ ...flame, ...without }]);
  });
});
