import type { ReactNode } from 'react';
import type { TermName } from '../lib/glossary';

export type TermProps = {
  name: TermName;
  /** The text that is shown; by default the name of the term. */
  children?: ReactNode;
  /** The exact value, in the tooltip and at the top of the popover. */
  detail?: string;
};
