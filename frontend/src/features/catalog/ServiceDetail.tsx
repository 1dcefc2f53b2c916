/** One service and its builds. */
import { Button, Modal } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { lost, type Build } from '../../api';
import { ErrorState, PageHead, SkeletonRows, useTitle } from '../../ui';
import { Builds } from './Builds';
import classes from './Catalog.module.css';
import { ServiceForm } from './Services';
import { deleteService, serviceQuery } from './queries';

type DetailProps = {
  id: string;
  back: ReactNode;
  /** What else can be done with it, from storeys above. */
  action?: ReactNode;
  mayManage: boolean;
  mayWrite: boolean;
  onGone: () => void;
  buildLink: (build: Build, words: ReactNode) => ReactNode;
  /** What stands between the service and its builds, from storeys above. */
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
  const client = useQueryClient();
  const service = useQuery(serviceQuery(id));
  const [editing, setEditing] = useState(false);
  const [asking, setAsking] = useState(false);
  const forget = useMutation({
    mutationFn: () => deleteService(id),
    onSuccess: async () => {
      onGone();
      await client.invalidateQueries({ queryKey: ['service', 'list'] });
    },
  });
  useTitle(service.data?.name ?? 'Service');
  const failed = lost(service);
  if (failed)
    return (
      <>
        <PageHead above={back} title="This service can not be shown" />
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
      <PageHead
        above={back}
        title={data.name}
        sub={
          <>
            {data.main_package && <span className="mono">{data.main_package}</span>}{' '}
            {data.description}
          </>
        }
        actions={
          <>
            {action}
            {mayManage && (
              <>
                <Button
                  onClick={() => {
                    setEditing(true);
                  }}
                >
                  Edit
                </Button>
                <Button
                  onClick={() => {
                    setAsking(true);
                  }}
                >
                  Delete
                </Button>
              </>
            )}
          </>
        }
      />
      {children}
      <Builds serviceId={id} mayWrite={mayWrite} buildLink={buildLink} />
      <ServiceForm
        opened={editing}
        onClose={() => {
          setEditing(false);
        }}
        service={data}
      />
      <Modal
        opened={asking}
        onClose={() => {
          setAsking(false);
        }}
        title={`Delete ${data.name}?`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <p>Its builds and their files go with it; comparisons keep what they found.</p>
        {forget.error && <ErrorState compact error={forget.error} />}
        <div className={classes.buttons}>
          <Button
            onClick={() => {
              setAsking(false);
            }}
          >
            Cancel
          </Button>
          <Button
            variant="filled"
            loading={forget.isPending}
            onClick={() => {
              forget.mutate();
            }}
          >
            Delete service
          </Button>
        </div>
      </Modal>
    </>
  );
}
