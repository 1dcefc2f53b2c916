import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { show } from '../../../testing/render';
import { ArtifactKindTabs } from './ArtifactKindSections';

describe('ArtifactKindTabs', () => {
  it('selects an artifact kind by click and by arrow key', async () => {
    const parts: string[] = [];
    const { user } = show(
      <ArtifactKindTabs
        parts={['profiles', 'spans', 'benchmarks']}
        part="profiles"
        onPart={(part) => parts.push(part)}
      />,
    );
    expect(screen.getByRole('tablist', { name: 'Kinds of evidence' })).toHaveTextContent(
      'ProfilesDistributed tracesBenchmarks',
    );
    expect(screen.getByRole('tab', { name: 'Profiles' })).toHaveAttribute('aria-selected', 'true');
    await user.click(screen.getByRole('tab', { name: 'Benchmarks' }));
    screen.getByRole('tab', { name: 'Profiles' }).focus();
    await user.keyboard('{ArrowRight}');
    expect(parts).toEqual(['benchmarks', 'spans']);
  });

  it('shows no tabs when there is only one kind', () => {
    show(<ArtifactKindTabs parts={['spans']} part="spans" onPart={() => undefined} />);
    expect(screen.queryByRole('tab')).toBeNull();
  });
});
