import type { ReactNode } from 'react';
import type { TermName } from '../lib/glossary';

export type TermProps = {
  name: TermName;
  /** What is read in its place; without words, the name. */
  children?: ReactNode;
  /** The number behind the words: on hover, and first in what opens. */
  detail?: string;
};
