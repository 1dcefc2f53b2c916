import { describe, expect, it } from 'vitest';
import { dashboardAddress } from './dashboard-address';

const PLACE = { service: 'check out&x=1', environment: 'production', from: 1000, to: 'now' };

describe('dashboardAddress', () => {
  it('fills and escapes each variable', () => {
    const template =
      'https://grafana.example/d/a?var-service={service}&var-env={environment}&from={from}&to={to}';
    expect(dashboardAddress(template, PLACE)).toBe(
      'https://grafana.example/d/a?var-service=check%20out%26x%3D1&var-env=production&from=1000&to=now',
    );
  });

  it.each([
    '',
    'javascript:alert(1)',
    '//evil.example/',
    'https://{service}/',
    'https://me@x.example/',
  ])('returns null for the template %j', (template) => {
    expect(dashboardAddress(template, PLACE)).toBeNull();
  });
});
