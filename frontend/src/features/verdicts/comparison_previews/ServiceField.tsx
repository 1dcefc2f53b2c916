import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { servicesQuery } from '../../inventory/catalog';
import classes from './compare.module.css';

type ServiceProps = { value: string; onChange: (serviceId: string) => void; required?: boolean };

/** The field of the service whose sources are listed. */
export function ServiceField({ value, onChange, required = false }: ServiceProps) {
  const services = useQuery(servicesQuery);
  return (
    <Select
      className={classes.service}
      label="Service"
      placeholder={required ? 'Choose' : 'any'}
      clearable={!required}
      searchable
      data={(services.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
      value={value || null}
      onChange={(next) => onChange(next ?? '')}
    />
  );
}
