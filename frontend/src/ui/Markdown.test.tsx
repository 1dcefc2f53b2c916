import { render, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { Markdown } from './Markdown';

const shown = async (text: string, names?: string[]) => {
  const { container } = render(<Markdown text={text} names={names} />);
  await new Promise((done) => setTimeout(done, 0));
  return container;
};

describe('Markdown', () => {
  it('renders tables, and first-level headings as level 3', async () => {
    await shown('# Why\n\n| a | b |\n|---|---|\n| 1 | 2 |');
    expect(await screen.findByRole('heading', { level: 3, name: 'Why' })).toBeInTheDocument();
    expect(screen.getByRole('table')).toBeInTheDocument();
  });

  it('removes scripts, images and links with unsafe schemes', async () => {
    const text =
      '<script>alert(1)</script><img src=x onerror=alert(1)>\n\n[a](javascript:alert(1)) [b](data:text/html,x) ![c](https://x.example/p.png) [d](https://x.example)';
    const container = await shown(text);
    expect(await screen.findByText('d')).toHaveAttribute(
      'rel',
      expect.stringContaining('noreferrer'),
    );
    expect(container.querySelector('script, img, iframe')).toBeNull();
    const leads = [...container.querySelectorAll('a')].map((one) => one.getAttribute('href') ?? '');
    expect(leads.filter((one) => one !== '' && !one.startsWith('https://x.example'))).toEqual([]);
  });

  it('highlights mentioned members, but not in code or inside words', async () => {
    const container = await shown('@Ann Lee and a@Ann Lee, `@Ann Lee`', ['Ann', 'Ann Lee']);
    await screen.findByText('@Ann Lee', { selector: 'span' });
    expect(container.querySelectorAll('span')).toHaveLength(1);
  });
});
