/** Types of what other features add to the page of a profile. */
import type { ReactNode } from 'react';
import type { LabelMatcher, ProfileSet } from '../../../api';
import type { ProfilePageView } from './profile-url';

/** A side of a comparison: artifacts, and the labels of the compared samples. */
export type ProfileSide = { artifactIds: string[]; labels: LabelMatcher[] };

export type ProfileLinks = {
  /**
   * Returns a link to the choice of sides; a null `candidate` leaves that side open. `primary`
   * makes it a button.
   */
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
  /** Changes the view. `replace` adds no history entry, as for a drag or a keystroke. */
  onView: (view: ProfilePageView, replace: boolean) => void;
  /** A link back, on the line above the title. */
  above: ReactNode;
  /** Links next to the tabs, such as to the page of a trace. */
  beside?: ReactNode;
  links: ProfileLinks;
  /** The content of the last tab; if undefined, the conditions of the set. */
  metadata?: ReactNode;
};

/** The values that all parts of a set's page need. */
export type OpenedSet = {
  set: ProfileSet;
  view: ProfilePageView;
  change: (changed: Partial<ProfilePageView>, replace?: boolean) => void;
  links: ProfileLinks;
};
