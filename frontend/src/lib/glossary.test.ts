import { describe, expect, it } from 'vitest';
import glossary from '../../docs/glossary.md?raw';
import { TERMS, meaningOf } from './glossary';

describe('glossary terms', () => {
  it.each(Object.entries(TERMS))('%s is defined in the glossary section of its link', (_, term) => {
    const meaning = meaningOf(glossary, term.entry);
    expect(meaning.length).toBeGreaterThan(30);
    const heading = term.section.replaceAll('-', ' ');
    const sections = glossary.split(/^## /mu);
    const own = sections.find((text) => meaningOf(text, term.entry) !== '');
    expect(own?.split('\n')[0]?.toLowerCase()).toBe(heading);
  });
});
