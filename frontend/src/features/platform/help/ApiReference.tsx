/** The API of the running server, rendered from its OpenAPI document: operations by tag, schemas on demand. */
import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { readApiDocument } from '../../../api';
import { EmptyState, ErrorState, SkeletonRows, countOf, useTitle, onText } from '../../../ui';
import { ApiOperationDetails } from './ApiOperationDetails';
import classes from './ApiReference.module.css';
import { ApiSchemas } from './ApiSchemaTable';
import { GuideLayout } from './GuideLayout';
import { useScrollToHeading } from './GuidePage';
import type { RenderGuideLink } from './GuideText';
import { filterOperations, groupOperations } from './api-operations';
import { API_REFERENCE } from './guide-pages';
import { anchorOf } from './guide-sections';

const apiDocumentQuery = {
  queryKey: ['api-document'],
  queryFn: ({ signal }: { signal: AbortSignal }) => readApiDocument(signal),
  staleTime: Infinity,
};

export function ApiReference({ hash, link }: { hash: string; link: RenderGuideLink }) {
  useTitle('API reference · Help');
  const [words, setWords] = useState('');
  const { data, error } = useQuery(apiDocumentQuery);
  const groups = useMemo(() => (data ? groupOperations(data) : null), [data]);
  const shown = useMemo(() => groups && filterOperations(groups, words), [groups, words]);
  useScrollToHeading(hash, groups !== null);
  const headings = [...(shown?.keys() ?? [])].map((tag) => ({
    level: 2,
    text: tag.charAt(0).toUpperCase() + tag.slice(1),
    anchor: anchorOf(tag),
  }));
  const count = [...(shown?.values() ?? [])].reduce((sum, { length }) => sum + length, 0);
  return (
    <GuideLayout page={API_REFERENCE} headings={headings} link={link}>
      <h1 className={classes.title}>API reference</h1>
      <p className="t2">
        All operations of this server, from its OpenAPI document at{' '}
        <a href="/api/v1/openapi.json" className="link mono">
          /api/v1/openapi.json
        </a>
        . {link({ page: 'api' }, 'API', 'link')} explains tokens, conventions and errors.
      </p>
      <div className={classes.filter}>
        <TextInput
          aria-label="Filter operations"
          placeholder="Filter by path, method or word"
          value={words}
          onChange={onText(setWords)}
        />
        {shown && <span className="muted">{countOf(count, 'operation')}</span>}
      </div>
      {error && <ErrorState error={error} what="Could not load the API description" />}
      {!data && !error && <SkeletonRows rows={10} />}
      {shown?.size === 0 && <EmptyState>No operation contains these words.</EmptyState>}
      <ApiSchemas value={data?.components.schemas ?? {}}>
        {[...(shown ?? [])].map(([tag, operations]) => (
          <section key={tag} className={classes.group}>
            <h2 id={anchorOf(tag)}>{tag}</h2>
            {operations.map((named) => (
              <ApiOperationDetails key={named.id} named={named} isOpen={named.id === hash} />
            ))}
          </section>
        ))}
      </ApiSchemas>
    </GuideLayout>
  );
}
