/** Queries of retention and storage usage. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { calls, type Retention } from '../../../api';

const DAY_MS = 86_400_000;

/** Days by kind; null means unlimited. */
export type Days = Record<string, number | null>;

export const retentionQuery = queryOptions({
  queryKey: ['retention'],
  queryFn: ({ signal }) => calls.retentionGet({ signal }),
  staleTime: 60_000,
});

export const expiryPreviewQuery = (days: Days) => {
  const rule = Object.entries(days)
    .map(([kind, limit]) => `${kind}:${limit ?? 'forever'}`)
    .sort();
  return queryOptions({
    queryKey: ['retention', 'preview', rule],
    queryFn: ({ signal }) => calls.retentionPreview({ query: { rule }, signal }),
    enabled: rule.length > 0,
    placeholderData: keepPreviousData,
    retry: false,
  });
};

export const updateRetention = (days: Days) =>
  calls.retentionUpdate({
    body: { rules: Object.entries(days).map(([kind, limit]) => ({ kind, retention_days: limit })) },
  });

export const usageQuery = queryOptions({
  queryKey: ['usage'],
  queryFn: ({ signal }) => calls.usageGet({ signal }),
});

/** Returns the expiry date of an artifact of this kind; null means unlimited, or not loaded yet. */
export function expiresAt(
  retention: Retention | undefined,
  file: { kind: string | null; created_at: string },
): Date | null {
  const rules = retention?.rules.filter((rule) => rule.is_artifact_kind) ?? [];
  const rule =
    rules.find(({ kind }) => kind === file.kind) ?? rules.find(({ kind }) => kind === 'unread');
  if (rule?.retention_days == null) return null;
  return new Date(new Date(file.created_at).getTime() + rule.retention_days * DAY_MS);
}
