/** The source of a side that is a build, a branch or tag, or a deployment, found by text. */
import { useQuery } from '@tanstack/react-query';
import type { SourceMatch } from '../../../api';
import { LabelField } from './LabelField';
import type { Match } from './MatchRow';
import { SearchList } from './SearchList';
import { ServiceField } from './ServiceField';
import { formatSource } from './compare-url';
import { sourceMatchesQuery, type SearchedType } from './preview-queries';
import { evidenceText } from './preview-wording';
import { momentText } from '../../../lib/times';
import { labelsOf, withLabels, type SideChoice } from './side-choice';

const FIELDS: Record<SearchedType, { label: string; placeholder: string; none: string }> = {
  build: {
    label: 'Build',
    placeholder: 'commit, branch or title',
    none: 'No build matches. Builds are created by CI, or on the page of a service.',
  },
  ref: {
    label: 'Branch or tag, newest build with evidence',
    placeholder: 'main, v2.31',
    none: 'No branch or tag matches.',
  },
  deployment: {
    label: 'Deployment',
    placeholder: 'label, commit or environment',
    none: 'No deployment matches. Deployments are recorded by a webhook or the API.',
  },
};

export type SourceProps = {
  choice: SideChoice;
  /** `replace` is for changes that are not separate steps in the browser's history. */
  onChoice: (choice: SideChoice, replace: boolean) => void;
};

export function SearchedSource({ type, choice, onChoice }: SourceProps & { type: SearchedType }) {
  const { service, find, source } = choice;
  const found = useQuery(sourceMatchesQuery(type, service, find.trim()));
  const chosen = source ? formatSource(source) : '';
  const items = found.data?.items ?? [];
  const onPick = (key: string) => {
    const match = items.find((each) => formatSource(each.source) === key);
    if (!match) return;
    const next = withLabels(match.source, labelsOf(source));
    onChoice({ ...choice, service: match.service_id, source: next }, false);
  };
  return (
    <>
      <ServiceField
        value={service}
        onChange={(next) => onChoice({ ...choice, service: next }, true)}
      />
      <SearchList
        {...FIELDS[type]}
        find={find}
        onFind={(next) => onChoice({ ...choice, find: next }, true)}
        results={{
          items: items.map((each) => matchOf(each, chosen)),
          hasMore: found.data?.has_more ?? false,
          isOld: found.isPlaceholderData,
          isPending: found.isPending,
          error: found.error,
        }}
        onPick={onPick}
      />
      <LabelField
        source={source}
        onSource={(next) => onChoice({ ...choice, source: next }, false)}
      />
    </>
  );
}

const matchOf = (match: SourceMatch, chosen: string): Match => ({
  key: formatSource(match.source),
  title: match.title,
  detail: [match.at && momentText(match.at), match.subtitle].filter(Boolean).join(', '),
  evidence: evidenceText(match.evidence, match.has_metrics),
  isChosen: formatSource(match.source) === chosen,
  disabled: match.disabled_reason,
});
