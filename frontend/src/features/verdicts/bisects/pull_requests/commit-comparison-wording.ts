/** Texts of commit comparisons. */
import type { CommitComparisonSummary, PullRequestRules } from '../../../../api';
import { countOf, type Glyph } from '../../../../ui';
import { STATES } from '../shared/bisect-wording';

const VERDICTS: Record<NonNullable<CommitComparisonSummary['verdict']>, [Glyph, string]> = {
  slower: ['more', 'slower'],
  'not-slower': ['same', 'not slower'],
  inconclusive: ['unsure', 'inconclusive'],
};

/** Returns the glyph and the word for the verdict, or for the state if there is none. */
export const outcomeOf = ({ verdict, state }: CommitComparisonSummary): [Glyph, string] =>
  verdict ? VERDICTS[verdict] : STATES[state];

/** Formats the rules: "On for main: at most 120 minutes a day, 45 per pull request." */
export function rulesText(rules: PullRequestRules): string {
  if (!rules.enabled) return 'Off. An admin can turn it on.';
  const branches = rules.base_branches?.length
    ? rules.base_branches.join(', ')
    : 'the default branch';
  const day = countOf(rules.minutes_per_day ?? 0, 'minute');
  return `On for ${branches}: at most ${day} a day, ${rules.minutes_per_pull_request ?? 0} per pull request.`;
}
