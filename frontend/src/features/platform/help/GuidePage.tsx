import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { EmptyState, ErrorState, SkeletonRows, useTitle } from '../../../ui';
import { GuideLayout } from './GuideLayout';
import { GuideText, type RenderGuideLink } from './GuideText';
import { GUIDE_START, loadGuidePage, titleOf } from './guide-pages';
import { splitSections } from './guide-sections';

/** Scrolls to a heading once its page is shown. */
export function useScrollToHeading(hash: string, isShown: boolean): void {
  useEffect(() => {
    if (isShown && hash !== '') document.getElementById(hash)?.scrollIntoView();
  }, [hash, isShown]);
}

type GuidePageProps = {
  page: string;
  /** The anchor of the heading to show, without `#`; empty for the start of the page. */
  hash: string;
  link: RenderGuideLink;
};

export function GuidePage({ page, hash, link }: GuidePageProps) {
  useTitle(`${titleOf(page) ?? 'Page not found'} · Help`);
  const { data: text, error } = useQuery({
    queryKey: ['guide', page],
    queryFn: () => loadGuidePage(page),
    staleTime: Infinity,
  });
  const headings = useMemo(
    () =>
      splitSections(text ?? '')
        .map(({ heading }) => heading)
        .filter(({ level }) => level === 2 || level === 3),
    [text],
  );
  useScrollToHeading(hash, typeof text === 'string');
  return (
    <GuideLayout page={page} headings={headings} link={link}>
      {error && <ErrorState error={error} what="Could not load this page" />}
      {text === undefined && !error && <SkeletonRows rows={8} />}
      {text === null && (
        <EmptyState action={link({ page: GUIDE_START }, 'Open the start of the guide', 'link')}>
          The guide has no page named {page}.
        </EmptyState>
      )}
      {typeof text === 'string' && <GuideText text={text} page={page} link={link} />}
    </GuideLayout>
  );
}
