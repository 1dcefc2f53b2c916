/** One service and its builds. */
import { Button, Modal } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { makeConnectionLostError, type Build, type Service } from '../../../api';
import { ErrorState, PageHeader, SkeletonRows, useTitle } from '../../../ui';
import { Builds } from './Builds';
import classes from './Catalog.module.css';
import { ExampleBadge } from './ExampleBadge';
import { ServiceForm } from './Services';
import { deleteService, serviceQuery } from './catalog-queries';

type DetailProps = {
  id: string;
  back: ReactNode;
  /** Further actions, from other features. */
  action?: (service: Service) => ReactNode;
  mayManage: boolean;
  mayWrite: boolean;
  onGone: () => void;
  buildLink: (build: Build, words: ReactNode) => ReactNode;
  /** Sections between the service and its builds, from other features. */
  children?: ReactNode;
};

export function ServiceDetail({
  id,
  back,
  action,
  mayManage,
  mayWrite,
  onGone,
  buildLink,
  children,
}: DetailProps) {
  const service = useQuery(serviceQuery(id));
  const [editing, setEditing] = useState(false);
  const [asking, setAsking] = useState(false);
  useTitle(service.data?.name ?? 'Service');
  const failed = makeConnectionLostError(service);
  if (failed)
    return (
      <>
        <PageHeader above={back} title="Could not load the service" />
        <div className={classes.inset}>
          <ErrorState error={failed} />
        </div>
      </>
    );
  if (!service.data)
    return (
      <div className={classes.inset}>
        <SkeletonRows rows={6} />
      </div>
    );
  const { data } = service;
  return (
    <>
      <PageHeader
        above={back}
        title={data.name}
        sub={
          <>
            {data.main_package && <span className="mono">{data.main_package}</span>}{' '}
            {data.description}
            {data.is_example && <ExampleBadge />}
          </>
        }
        actions={
          <>
            {action?.(data)}
            {mayManage && !data.is_example && (
              <>
                <Button onClick={() => setEditing(true)}>Edit</Button>
                <Button onClick={() => setAsking(true)}>Delete</Button>
              </>
            )}
          </>
        }
      />
      {children}
      <Builds service={data} mayWrite={mayWrite} buildLink={buildLink} />
      <ServiceForm opened={editing} onClose={() => setEditing(false)} service={data} />
      <DeleteService
        service={data}
        opened={asking}
        onClose={() => setAsking(false)}
        onDeleted={onGone}
      />
    </>
  );
}

type DeleteProps = {
  service: { id: string; name: string };
  opened: boolean;
  onClose: () => void;
  onDeleted: () => void;
};

function DeleteService({ service, opened, onClose, onDeleted }: DeleteProps) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteService(service.id),
    onSuccess: async () => {
      onDeleted();
      await client.invalidateQueries({ queryKey: ['service', 'list'] });
    },
  });
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={`Delete ${service.name}?`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <p>Deletes its builds and their artifacts. Comparisons keep their results.</p>
      {remove.error && <ErrorState compact error={remove.error} />}
      <div className={classes.buttons}>
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="filled" loading={remove.isPending} onClick={() => remove.mutate()}>
          Delete service
        </Button>
      </div>
    </Modal>
  );
}
