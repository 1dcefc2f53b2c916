/** What the rest of the product adds to the page of a profile. Types only. */
import type { ReactNode } from 'react';
import type { LabelMatcher, ProfileSet } from '../../../api';
import type { ProfilePageView } from './profile-url';

/** A side of a comparison: artifacts, and the labels that their samples have. */
export type ProfileSide = { artifactIds: string[]; labels: LabelMatcher[] };

export type ProfileLinks = {
  /** A link to the page that chooses sides; `candidate` null leaves that side open. `primary`: as a button. */
  compare: (
    base: ProfileSide,
    candidate: ProfileSide | null,
    words: string,
    primary: boolean,
  ) => ReactNode;
  artifact: (artifactId: string, words: string) => ReactNode;
  build: (buildId: string, words: string) => ReactNode;
};

export type ProfilePageContext = {
  view: ProfilePageView;
  /** `replace` for what is not a separate history step (a drag, a keystroke): Back should not walk through it. */
  onView: (view: ProfilePageView, replace: boolean) => void;
  /** The way back, a line above the title. */
  above: ReactNode;
  /** Links beside the tabs: the page of a trace. */
  beside?: ReactNode;
  links: ProfileLinks;
  /** The last tab; without it the conditions of the set. */
  metadata?: ReactNode;
};

/** What all parts of the page of one set need. */
export type OpenedSet = {
  set: ProfileSet;
  view: ProfilePageView;
  change: (changed: Partial<ProfilePageView>, replace?: boolean) => void;
  links: ProfileLinks;
};
