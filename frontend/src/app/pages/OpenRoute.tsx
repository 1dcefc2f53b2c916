/**
 * Stable URLs for links of other programs: names of a service and environment instead of ids, and a
 * time range. They redirect to the dashboard.
 */
import { useQuery } from '@tanstack/react-query';
import { Navigate, getRouteApi, useSearch } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { Button } from '@mantine/core';
import { environmentsQuery, servicesQuery } from '../../features/inventory/catalog';
import { readDashboardSearch } from '../../features/evidence/dashboard';
import { EmptyState, ErrorState, PageHeader, Section, SkeletonRows } from '../../ui';

const teamRoute = getRouteApi('/t/$team');
const name = z.catch(z.optional(z.coerce.string().check(z.maxLength(80))), undefined);
const namesSchema = z.object({ service: name, environment: name });

export function OpenRoute() {
  const { team } = teamRoute.useRouteContext();
  const search: Record<string, unknown> = useSearch({ strict: false });
  const asked = namesSchema.parse(search);
  const services = useQuery(servicesQuery);
  const environments = useQuery(environmentsQuery);
  const error = services.error ?? environments.error;
  if (error)
    return (
      <Section>
        <ErrorState
          what="Could not follow the link"
          error={error}
          action={<Button onClick={() => void services.refetch()}>Try again</Button>}
        />
      </Section>
    );
  if (!services.data || !environments.data)
    return (
      <Section>
        <SkeletonRows rows={4} label="Following the link" />
      </Section>
    );
  const find = <T extends { slug: string; name: string }>(items: T[], wanted?: string) =>
    items.find(({ slug }) => slug === wanted) ?? items.find((each) => each.name === wanted);
  const service = find(services.data.items, asked.service);
  const environment = find(environments.data.items, asked.environment);
  const unknown = [
    asked.service !== undefined && !service && `service ${asked.service}`,
    asked.environment !== undefined && !environment && `environment ${asked.environment}`,
  ].filter((each) => each !== false);
  if (unknown.length > 0)
    return (
      <>
        <PageHeader title="The link names nothing of this team" />
        <Section>
          <EmptyState>The team has no {unknown.join(' and no ')}.</EmptyState>
        </Section>
      </>
    );
  const { range, from, to } = readDashboardSearch(search);
  return (
    <Navigate
      to="/t/$team/dashboard"
      params={{ team: team.slug }}
      search={{ env: environment?.id, alone: service?.id, range, from, to }}
      replace
    />
  );
}
