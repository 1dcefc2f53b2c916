import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { LabelKey, LabelMatcher } from '../../../api';
import { show } from '../../../testing/render';
import { LabelFilters } from './LabelFilters';
import { toggleLabel } from './profile-wording';

const KEY: LabelKey = {
  key: 'endpoint',
  unit: null,
  values: ['/a', '/b', '/c'].map((value) => ({ value, raw: 1, share: 0.25, profiles: 1 })),
  other_values: 0,
  without_share: 0.25,
};

const label = (value: string | null): LabelMatcher => ({ key: 'endpoint', value });

describe('label filters', () => {
  it('show one filter per label key, remove a filter, and add a value to a key', async () => {
    const changes: LabelMatcher[][] = [];
    const tenant = { key: 'tenant', value: 'acme' };
    const { user } = show(
      <LabelFilters
        labels={[label('/a'), tenant, label(null)]}
        keys={[KEY]}
        onLabels={(next) => changes.push(next)}
      />,
    );
    expect(screen.getByText('endpoint = /a or no value')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Remove the filter tenant = acme' }));
    await user.click(screen.getByRole('button', { name: 'Add label filter' }));
    await user.click(await screen.findByLabelText('Values', { selector: 'input' }));
    await user.click(await screen.findByText('/b (25%)'));
    await user.click(screen.getByText('Apply'));
    expect(changes).toEqual([
      [label('/a'), label(null)],
      [tenant, label('/a'), label(null), label('/b')],
    ]);
  });

  it('toggle a value without changing the other values of its key', () => {
    const both = toggleLabel([label('/a')], label('/b'));
    expect(both).toEqual([label('/a'), label('/b')]);
    expect(toggleLabel(both, label('/a'))).toEqual([label('/b')]);
    expect(toggleLabel(both, label('/b'))).toEqual([label('/a')]);
  });
});
