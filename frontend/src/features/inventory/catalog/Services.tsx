import { Button, Modal, TextInput, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Service } from '../../../api';
import {
  DataTable,
  EmptyState,
  ErrorState,
  PageHeader,
  Section,
  SkeletonRows,
  Timestamp,
  useTitle,
  type Column,
} from '../../../ui';
import { ListFilters } from '../../../ui/ListFilters';
import { formatSort, parseSort, type ListSearch } from '../../../lib/list-search';
import classes from './Catalog.module.css';
import { Environments } from './Environments';
import { ExampleBadge } from './ExampleBadge';
import { updateService, createService, servicesQuery, type ServiceFields } from './catalog-queries';

type PageProps = {
  search: ListSearch;
  onSearch: (search: ListSearch) => void;
  mayManage: boolean;
  onOpen: (service: Service) => void;
  link: (service: Service) => ReactNode;
  /** A link to the page that sets up services, and adds or removes example data. */
  setupLink: ReactNode;
};

export function ServicesPage({ search, onSearch, ...props }: PageProps) {
  const { mayManage, onOpen, link, setupLink } = props;
  useTitle('Services');
  const [adding, setAdding] = useState(false);
  const services = useQuery(servicesQuery);
  const rows = (services.data?.items ?? []).filter((service) => matchesText(service, search.q));
  const add = mayManage && (
    <Button variant="filled" onClick={() => setAdding(true)}>
      New service
    </Button>
  );
  const columns: Column<Service>[] = [
    {
      id: 'name',
      head: 'Service',
      text: ({ name }) => name,
      width: '26%',
      cell: (service) => (
        <>
          <b className={classes.name}>{link(service)}</b>
          {service.is_example && <ExampleBadge />}
        </>
      ),
    },
    {
      id: 'package',
      head: 'Main package',
      text: ({ main_package }) => main_package,
      width: '26%',
      mono: true,
      cell: (service) => service.main_package ?? <span className="muted">–</span>,
    },
    {
      id: 'what',
      head: 'Description',
      text: ({ description }) => description,
      cell: (service) => <span className="t2">{service.description}</span>,
    },
    {
      id: 'at',
      head: 'Added',
      text: ({ created_at }) => created_at,
      width: 140,
      align: 'right',
      cell: (service) => <Timestamp at={service.created_at} />,
    },
  ];
  return (
    <>
      <PageHeader
        title="Services"
        sub="Programs that serve requests. Builds and artifacts belong to a service; manual comparisons do not need one."
        actions={
          <>
            {setupLink}
            {add}
          </>
        }
      />
      <ListFilters noun="services" searched="names, packages" search={search} onSearch={onSearch} />
      <Section>
        {services.error && (
          <ErrorState
            error={services.error}
            action={<Button onClick={() => void services.refetch()}>Try again</Button>}
          />
        )}
        {services.isPending && <SkeletonRows rows={6} height={42} />}
        {services.data && rows.length === 0 && (
          <EmptyState help="ci">
            {search.q ? 'No services match this search.' : 'No services yet.'}
          </EmptyState>
        )}
        {rows.length > 0 && (
          <DataTable
            label="Services"
            columns={columns}
            rowCount={rows.length}
            rowAt={(index) => rows[index]!}
            rowKey={(service) => service.id}
            rowHeight={42}
            onRowClick={onOpen}
            minWidth={700}
            tools="rows"
            sort={parseSort(search.sort)}
            onSort={(sort) => onSearch({ ...search, sort: formatSort(sort) })}
          />
        )}
      </Section>
      <Environments mayManage={mayManage} />
      <ServiceForm opened={adding} onClose={() => setAdding(false)} service={null} />
    </>
  );
}

const matchesText = ({ name, main_package, description }: Service, text = ''): boolean =>
  [name, main_package, description].some((each) =>
    each?.toLowerCase().includes(text.toLowerCase()),
  );

export function ServiceForm({
  opened,
  onClose,
  service,
}: {
  opened: boolean;
  onClose: () => void;
  service: Service | null;
}) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={service ? `Edit ${service.name}` : 'New service'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {opened && <Fields service={service} onDone={onClose} />}
    </Modal>
  );
}

function Fields({ service, onDone }: { service: Service | null; onDone: () => void }) {
  const client = useQueryClient();
  const [words, setWords] = useState<ServiceFields>({
    name: service?.name ?? '',
    description: service?.description ?? '',
    main_package: service?.main_package ?? null,
  });
  const save = useMutation({
    mutationFn: () => (service ? updateService(service.id, words) : createService(words)),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['service'] });
      onDone();
    },
  });
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <TextInput
        label="Name"
        required
        data-autofocus
        value={words.name}
        onChange={(event) => setWords({ ...words, name: event.currentTarget.value })}
      />
      <TextInput
        label="Main package"
        description="Go package of the binary, e.g. github.com/northwind/ingester/cmd/ingester"
        classNames={{ input: 'mono' }}
        value={words.main_package ?? ''}
        onChange={(event) =>
          setWords({ ...words, main_package: event.currentTarget.value || null })
        }
      />
      <Textarea
        label="Description"
        autosize
        minRows={2}
        value={words.description}
        onChange={(event) => setWords({ ...words, description: event.currentTarget.value })}
      />
      {save.error && <ErrorState compact error={save.error} />}
      <div className={classes.buttons}>
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="filled" loading={save.isPending}>
          {service ? 'Save' : 'Create service'}
        </Button>
      </div>
    </form>
  );
}
