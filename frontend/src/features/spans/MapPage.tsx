/** The services of an environment in the order in which requests flow through them. */
import { Button, Select } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import { ServiceMap, type MapCall } from '../../charts/map/ServiceMap';
import { formatCount, visibleName } from '../../engine';
import {
  DataTable,
  EmptyState,
  ErrorState,
  PageHead,
  Section,
  SkeletonRows,
  countOf,
  useTitle,
  type Column,
} from '../../ui';
import { mapNumbersQuery } from './map-numbers';
import { environmentsOfMapQuery, serviceOrderQuery } from './queries';
import classes from './spans.module.css';

export type MapPageProps = {
  /** Id of the environment; '' = the one in which most calls were seen. */
  environment: string;
  onEnvironment: (id: string) => void;
  /** Opens the board at a service. */
  onService: (environmentId: string, serviceId: string) => void;
  above: ReactNode;
};

export default function MapPage({ environment, onEnvironment, onService, above }: MapPageProps) {
  useTitle('Service map');
  const environments = useQuery(environmentsOfMapQuery);
  const known = environments.data ?? [];
  const usual = useUsual(known, environment === '');
  const shown = known.find(({ id }) => id === environment) ?? usual;
  if (environments.error) {
    return (
      <>
        <PageHead above={above} title="The service map can not be shown" />
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
          <SkeletonRows rows={8} height={60} label="Reading the services" />
        </div>
      )}
      {environments.data && known.length === 0 && (
        <>
          <PageHead above={above} title="Service map" />
          <div className={classes.inset}>
            <EmptyState>
              Services and their calls will stand here once spans or metrics of an environment have
              come in.
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
/** So many environments are looked into before one is shown unasked. */
const LOOKED_INTO = 8;

/** The environment in which most pairs of services are known to call each other; null until that is known. */
function useUsual(known: readonly Environment[], wanted: boolean): Environment | null {
  const asked = wanted && known.length > 1 ? known.slice(0, LOOKED_INTO) : [];
  const orders = useQueries({ queries: asked.map(({ id }) => serviceOrderQuery(id)) });
  if (orders.some(({ isPending }) => isPending)) return null;
  const pairs = orders.map(({ data }) => data?.edges.length ?? 0);
  return known[Math.max(0, pairs.indexOf(Math.max(...pairs)))] ?? null;
}

type MapOfProps = Pick<MapPageProps, 'above' | 'onService'> & {
  environment: Environment;
  choice: ReactNode;
};

type Row = MapCall & { caller: string; callee: string; calls: number; requests: number };

function MapOf({ environment, above, choice, onService }: MapOfProps) {
  const order = useQuery(serviceOrderQuery(environment.id));
  const numbers = useQuery(mapNumbersQuery(environment.id));
  const services = useMemo(
    () => (order.data?.services ?? []).map(({ id, name }) => ({ id, name, words: '' })),
    [order.data],
  );
  const rows = useMemo((): Row[] => {
    const names = new Map(services.map(({ id, name }) => [id, name]));
    return (order.data?.edges ?? []).map(({ caller_id, callee_id, calls, requests, ratio }) => {
      const [caller, callee] = [names.get(caller_id) ?? '?', names.get(callee_id) ?? '?'];
      const words = ratio === null ? '–' : `×${ratio.toFixed(2)}`;
      return {
        from: caller_id,
        to: callee_id,
        words,
        title: `${caller} calls ${callee}: ${words} for each request`,
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
      <PageHead
        above={above}
        title={order.data ? answer(services.length, rows, environment.name) : 'Service map'}
        sub={order.data && SOURCES[order.data.source]}
        actions={choice}
      />
      {order.error && (
        <div className={classes.inset}>
          <ErrorState
            what="The order of services could not be read"
            error={order.error}
            action={<Button onClick={() => void order.refetch()}>Try again</Button>}
          />
        </div>
      )}
      {!order.data && !order.error && (
        <div className={classes.inset}>
          <SkeletonRows rows={8} height={60} label="Reading the services" />
        </div>
      )}
      {order.data && services.length === 0 && (
        <div className={classes.inset}>
          <EmptyState>No service is known in {environment.name} yet.</EmptyState>
        </div>
      )}
      {services.length > 0 && (
        <Section
          title="Requests flow from top to bottom"
          aside={
            numbers.data && numbers.data.size > 0
              ? 'requests a second and latency as of now; a service leads to its row on the board'
              : 'a service leads to its row on the board'
          }
        >
          <ServiceMap
            services={withWords}
            calls={rows}
            label={`Services of ${environment.name}, in request order`}
            onChoose={(id) => {
              onService(environment.id, id);
            }}
          />
        </Section>
      )}
      {rows.length > 0 && <Calls rows={rows} />}
    </>
  );
}

const SOURCES = {
  hand: 'The order was laid by hand on the board.',
  spans: 'The order is as spans show who calls whom.',
  name: 'Nothing shows who calls whom yet, so services stand by name. Spans tell it.',
} as const;

function answer(services: number, rows: readonly Row[], environment: string): string {
  const most = rows.toSorted((a, b) => ratioOf(b) - ratioOf(a))[0];
  const lead = `${countOf(services, 'service')} in ${visibleName(environment)}`;
  if (!most || ratioOf(most) < 1.1) return lead;
  return `${lead}; ${visibleName(most.caller)} calls ${visibleName(most.callee)} ${ratioOf(most).toFixed(2)} times for each request`;
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
      head: 'caller and callee',
      cell: (row) => (
        <span className="cut">
          <b>{visibleName(row.caller)}</b> → <b>{visibleName(row.callee)}</b>
        </span>
      ),
    },
    {
      id: 'ratio',
      head: 'calls a request',
      width: 130,
      align: 'right',
      cell: (row) => row.words,
    },
    {
      id: 'calls',
      head: 'calls seen',
      width: 120,
      align: 'right',
      cell: (row) => formatCount(row.calls),
    },
    {
      id: 'requests',
      head: 'requests seen',
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
