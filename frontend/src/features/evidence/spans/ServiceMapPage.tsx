/** The service map: the services of an environment, in the order of requests. */
import { Button, Select } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import { ServiceMap, type MapCall } from '../../../charts/map/ServiceMap';
import { formatCount, formatFactor, formatRatio } from '../../../engine/format/format';
import { visibleName } from '../../../engine/flame/frame-label';
import {
  DataTable,
  EmptyState,
  ErrorState,
  PageHeader,
  Section,
  SkeletonRows,
  countOf,
  useTitle,
  type Column,
} from '../../../ui';
import { serviceMapValuesQuery } from './service-map-age';
import { environmentsOfMapQuery, serviceOrderQuery } from './span-queries';
import classes from './spans.module.css';

export type ServiceMapPageProps = {
  /** An ID; '' = the environment with the most known calls between services. */
  environment: string;
  onEnvironment: (id: string) => void;
  /** Opens the dashboard at a service. */
  onService: (environmentId: string, serviceId: string) => void;
  above: ReactNode;
};

export default function ServiceMapPage({
  environment,
  onEnvironment,
  onService,
  above,
}: ServiceMapPageProps) {
  useTitle('Service map');
  const environments = useQuery(environmentsOfMapQuery);
  const known = environments.data ?? [];
  const usual = useUsual(known, environment === '');
  const shown = known.find(({ id }) => id === environment) ?? usual;
  if (environments.error) {
    return (
      <>
        <PageHeader above={above} title="Could not load the service map" />
        <div className={classes.inset}>
          <ErrorState
            error={environments.error}
            action={<Button onClick={() => void environments.refetch()}>Try again</Button>}
          />
        </div>
      </>
    );
  }
  return (
    <>
      {(!environments.data || (known.length > 0 && !shown)) && (
        <div className={classes.inset}>
          <SkeletonRows rows={8} height={60} label="Loading services" />
        </div>
      )}
      {environments.data && known.length === 0 && (
        <>
          <PageHeader above={above} title="Service map" />
          <div className={classes.inset}>
            <EmptyState help="metrics">
              No services yet. Send spans or metrics of an environment.
            </EmptyState>
          </div>
        </>
      )}
      {shown && (
        <MapOf
          key={shown.id}
          environment={shown}
          above={above}
          choice={
            known.length > 1 && (
              <Select
                aria-label="Environment"
                data={known.map(({ id, name }) => ({ value: id, label: name }))}
                value={shown.id}
                allowDeselect={false}
                w={160}
                onChange={(id) => {
                  if (id) onEnvironment(id);
                }}
              />
            )
          }
          onService={onService}
        />
      )}
    </>
  );
}

type Environment = { id: string; name: string };
/** The most environments that are loaded to find the default one. */
const INSPECTED_TRACES = 8;

/** Returns the environment with the most pairs of calling services; null until it is known. */
function useUsual(known: readonly Environment[], wanted: boolean): Environment | null {
  const asked = wanted && known.length > 1 ? known.slice(0, INSPECTED_TRACES) : [];
  const orders = useQueries({ queries: asked.map(({ id }) => serviceOrderQuery(id)) });
  if (orders.some(({ isPending }) => isPending)) return null;
  const pairs = orders.map(({ data }) => data?.edges.length ?? 0);
  return known[Math.max(0, pairs.indexOf(Math.max(...pairs)))] ?? null;
}

type MapOfProps = Pick<ServiceMapPageProps, 'above' | 'onService'> & {
  environment: Environment;
  choice: ReactNode;
};

type Row = MapCall & { caller: string; callee: string; calls: number; requests: number };

function MapOf({ environment, above, choice, onService }: MapOfProps) {
  const order = useQuery(serviceOrderQuery(environment.id));
  const numbers = useQuery(serviceMapValuesQuery(environment.id));
  const services = useMemo(
    () => (order.data?.services ?? []).map(({ id, name }) => ({ id, name, words: '' })),
    [order.data],
  );
  const rows = useMemo((): Row[] => {
    const names = new Map(services.map(({ id, name }) => [id, name]));
    return (order.data?.edges ?? []).map(({ caller_id, callee_id, calls, requests, ratio }) => {
      const [caller, callee] = [names.get(caller_id) ?? '?', names.get(callee_id) ?? '?'];
      const words = formatRatio(ratio);
      return {
        from: caller_id,
        to: callee_id,
        words,
        title: `${caller} calls ${callee}: ${words} per request`,
        caller,
        callee,
        calls,
        requests,
      };
    });
  }, [order.data, services]);
  const called = useMemo(() => new Set(rows.flatMap(({ from, to }) => [from, to])), [rows]);
  const withWords = useMemo(
    () =>
      services.map((service) => ({
        ...service,
        words:
          numbers.data?.get(service.id) ??
          (called.has(service.id) ? callsText(rows, service.id) : 'no calls seen'),
      })),
    [services, rows, called, numbers.data],
  );
  return (
    <>
      <PageHeader
        above={above}
        title={order.data ? answer(services.length, rows, environment.name) : 'Service map'}
        sub={order.data && SOURCES[order.data.source]}
        actions={choice}
      />
      {order.error && (
        <div className={classes.inset}>
          <ErrorState
            what="Could not load the service order"
            error={order.error}
            action={<Button onClick={() => void order.refetch()}>Try again</Button>}
          />
        </div>
      )}
      {!order.data && !order.error && (
        <div className={classes.inset}>
          <SkeletonRows rows={8} height={60} label="Loading services" />
        </div>
      )}
      {order.data && services.length === 0 && (
        <div className={classes.inset}>
          <EmptyState>No services in {environment.name} yet.</EmptyState>
        </div>
      )}
      {services.length > 0 && (
        <Section
          title="Requests flow from top to bottom"
          aside={
            numbers.data && numbers.data.size > 0
              ? 'current requests per second and latency; select a service to open its dashboard row'
              : 'select a service to open its dashboard row'
          }
        >
          <ServiceMap
            services={withWords}
            calls={rows}
            label={`Services of ${environment.name}, in request order`}
            onChoose={(id) => onService(environment.id, id)}
          />
        </Section>
      )}
      {rows.length > 0 && <Calls rows={rows} />}
    </>
  );
}

const SOURCES = {
  manual: 'Custom order set on the dashboard.',
  spans: 'Order derived from calls in spans.',
  name: 'No calls seen yet; services are ordered by name. Send spans to order them by calls.',
} as const;

function answer(services: number, rows: readonly Row[], environment: string): string {
  const most = rows.toSorted((a, b) => ratioOf(b) - ratioOf(a))[0];
  const lead = `${countOf(services, 'service')} in ${visibleName(environment)}`;
  if (!most || ratioOf(most) < 1.1) return lead;
  return `${lead}; ${visibleName(most.caller)} calls ${visibleName(most.callee)} ${formatFactor(ratioOf(most))} times per request`;
}

const ratioOf = ({ calls, requests }: Row): number => (requests > 0 ? calls / requests : 0);

function callsText(rows: readonly Row[], id: string): string {
  const out = rows.filter(({ from }) => from === id).length;
  const into = rows.filter(({ to }) => to === id).length;
  if (out === 0) return `called by ${formatCount(into)}`;
  return into === 0 ? `calls ${formatCount(out)}` : `calls ${out}, called by ${into}`;
}

function Calls({ rows }: { rows: Row[] }) {
  const columns: Column<Row>[] = [
    {
      id: 'caller',
      head: 'Caller and callee',
      cell: (row) => (
        <span className="cut">
          <b>{visibleName(row.caller)}</b> → <b>{visibleName(row.callee)}</b>
        </span>
      ),
    },
    {
      id: 'ratio',
      head: 'Calls per request',
      width: 130,
      align: 'right',
      cell: (row) => row.words,
    },
    {
      id: 'calls',
      head: 'Calls seen',
      width: 120,
      align: 'right',
      cell: (row) => formatCount(row.calls),
    },
    {
      id: 'requests',
      head: 'Requests seen',
      width: 120,
      align: 'right',
      cell: (row) => formatCount(row.requests),
    },
  ];
  return (
    <Section title="Calls" aside={countOf(rows.length, 'pair')}>
      <DataTable
        label="Calls between services"
        columns={columns}
        rowCount={rows.length}
        rowAt={(index) => rows[index]!}
        rowKey={(row) => `${row.from} ${row.to}`}
        rowHeight={26}
        minWidth={560}
      />
    </Section>
  );
}
